/**
 * The form of a product, new or changed, in a dialog.
 *
 * Rule: a code that a slow scanner typed into another field is asked about before it is stored, and the Enter behind it
 * only goes to the next field. A creation without a response has the same key when it is tried again, so it counts once.
 */

import { ask, fetched, LIMITS } from '../api.js'
import { newKey } from '../idempotency_key.js'
import { bookings } from '../bookings/sending.js'
import { authorName, retry, whyNotStored } from '../bookings/store.js'
import { amountOf, wholeNumber } from '../formats.js'
import { text } from '../language.js'
import { announce, Dialog, showDialog } from '../in_front.js'
import { watchCodes } from '../scanner/typed_codes.js'
import { Button, errorText, Field, html, signal, useEffect, useRef, useSignal } from '../ui.js'
import { attributeChanges, AttributeRows, wrongRow } from './attributes.js'
import { giveCode } from './code_dialog.js'
import { problemsOf, toNextField } from './fields.js'

/** The texts of the form, by their names in the API, with their greatest lengths; and the numbers. @type {Record<string, number>} */
const TEXTS = {
  product_code: LIMITS.code,
  description: LIMITS.description,
  category: LIMITS.short_text,
  unit_of_measure: LIMITS.short_text,
}
const NUMBERS = ['minimum_level', 'maximum_level', 'initial_level']

/** Most digits of a number that is too short for a code. */
const MOST_DIGITS = 6

/**
 * What a form is for: `then` is what happens afterwards; a request to save has a key, and is repeated with it. `isKnown` asks
 * for the product of the code instead.
 *
 * @typedef {{title: string, then?: string, known: Record<string, any>, names: readonly string[], save: (body: object, key: string) => Promise<any>, saved: (product: any) => void, isKnown?: () => unknown}} Purpose
 */

/** Ask for a new product, filled in as far as a scan allows. @param {Record<string, any>} known @param {(product: any) => void} created */
export function newProduct(known, created) {
  const isKnown = known['product_code'] && { isKnown: () => giveCode(known['product_code'], created) }
  const names = [...Object.keys(TEXTS), ...NUMBERS]
  show({ title: text('product.new'), known, names, save: create, saved: created, ...isKnown })
}

/** Ask of which product a scanned code is; then make the bookings that were refused, or what is `created` for. @param {Record<string, any>} known @param {(product: any) => void} [created] */
export async function assignCode(known, created) {
  const then = created ?? (await refusedFor(known))?.retryAll
  if (then) giveCode(known['product_code'], then)
}

/** Return the bookings that were refused because a product was missing, and what makes them once there is one; null if they cannot be read. @param {Record<string, any>} known */
async function refusedFor(known) {
  const stored = await bookings().catch((error) => announce(whyNotStored(error), 'bad'))
  if (!stored) return null
  const isItsOwn = (/** @type {import('../types.js').Booking} */ { state, problem }) =>
    state === 'refused' && problem?.details?.new_product?.product_code === known['product_code']
  const refused = (await stored.storage.listed(0)).filter(isItsOwn).reverse()
  const retryAll = (/** @type {{product_code: string}} */ { product_code }) => {
    const other = product_code === known['product_code'] ? undefined : product_code
    for (const { id } of refused) void retry(id, other)
  }
  return { refused, retryAll }
}

/**
 * Ask for a new product; once it exists, make the bookings that were refused because it was missing.
 *
 * Put in or Set already says the level; a level asked for as well would be added, or count as the later one.
 *
 * @param {Record<string, any>} known
 */
export async function newBookedProduct(known) {
  const stored = await refusedFor(known)
  if (!stored) return
  const { refused, retryAll } = stored
  const takesOut = refused.some(({ delta }) => delta !== null && delta < 0)
  show({
    title: text('product.new'),
    then: refused.length ? text('product.then', { amount: refused.map((each) => amountOf(each)).join(', ') }) : '',
    known,
    names: [...Object.keys(TEXTS), ...NUMBERS.slice(0, takesOut ? 3 : 2)],
    save: create,
    saved: retryAll,
    isKnown: () => giveCode(known['product_code'], retryAll),
  })
}

/** Ask for changes of a product; its codes have a form of their own. @param {Record<string, any>} product @param {(product: any) => void} changed */
export function changeProduct(product, changed) {
  const save = (/** @type {object} */ body) => ask('PUT', `/api/products/${product['id']}`, { body })
  const names = [...Object.keys(TEXTS).slice(1), ...NUMBERS.slice(0, 2)]
  show({ title: text('product.change'), known: product, names, save, saved: changed })
}

/** @param {object} body @param {string} key */
async function create(body, key) {
  const options = { body: { ...body, updated_by: authorName() } }
  const response = await fetched('POST', '/api/products', options, { 'Idempotency-Key': key })
  return (await response.json()).data
}

/** @param {Purpose} purpose */
function show(purpose) {
  showDialog((close) => html`<${ProductForm} ...${purpose} closed=${close} />`)
}

/** @param {Purpose & {closed: () => void}} props */
function ProductForm({ title, then, known, names, save, saved, isKnown, closed }) {
  const form = useRef(/** @type {HTMLFormElement | null} */ (null))
  const values = useRef(Object.fromEntries(names.map((name) => [name, signal(firstValue(known, name))]))).current
  const details = useSignal(Object.entries(known['attributes'] ?? {}).map(([name, value], id) => ({ id, name, value })))
  const problems = useSignal(/** @type {Record<string, string>} */ ({}))
  const [isSaving, isCodeFree] = [useSignal(false), useSignal(!known['product_code'] || 'id' in known)]
  const attempt = useRef({ body: '', key: '' })
  const watched = useRef(/** @type {Map<string, ReturnType<typeof watchCodes>>} */ (new Map())).current
  const focusOn = (/** @type {string | undefined} */ name) => {
    const field = name && form.current?.elements.namedItem(name)
    if (field instanceof HTMLElement) field.focus()
  }

  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault()
    const wrong = wrongRow(details.value)
    problems.value = wrong
      ? { attributes: text(`attribute.wrong.${wrong.problem}`), row: `${wrong.index}` }
      : scannedField(watched)
    focusOn(names.find((name) => name in problems.value))
    if (isSaving.value || Object.keys(problems.value).length) return
    const body = bodyOf(values, attributeChanges(known['attributes'] ?? {}, details.value), known)
    if (attempt.current.body !== JSON.stringify(body)) attempt.current = { body: JSON.stringify(body), key: newKey() }
    isSaving.value = true
    try {
      const product = await save(body, attempt.current.key)
      closed()
      saved(product)
    } catch (error) {
      isSaving.value = false
      problems.value = problemsOf(error, names)
      focusOn(names.find((name) => name in problems.value))
    }
  }
  const first = isCodeFree.value ? names[0] : 'description'
  const field = (/** @type {string} */ name) =>
    names.includes(name) &&
    html`
      <${FormField} key=${name} name=${name} value=${values[name]} problem=${problems.value[name]} isFixed=${name === 'product_code' && !isCodeFree.value}
        isFirst=${name === first} watched=${watched} />`
  const { row = '-1', attributes, other } = problems.value
  return html`
    <${Dialog} title=${title} closed=${closed}>
      <form ref=${form} onsubmit=${submit} onkeydown=${toNextField} novalidate>
        <div class="row fixed">
          ${field('product_code')}
          ${names.includes('product_code') && html`<${CodeButtons} ...${{ isCodeFree, problems, focusOn, isKnown, closed }} value=${values['product_code']} />`}
        </div>
        ${field('description')}
        <div class="side-by-side">${['category', 'unit_of_measure'].map(field)}</div>
        <div class="side-by-side">${NUMBERS.map(field)}</div>
        <${AttributeRows} rows=${details} wrong=${Number(row)} />
        ${then && html`<p>${then}</p>`}
        <p class="problem" role="alert">${attributes ?? other}</p>
        <div class="row apart">
          <${Button} kind="text" onclick=${closed}>${text('cancel')}<//>
          <button class="main" disabled=${isSaving.value}>${text(isSaving.value ? 'products.saving' : 'save')}</button>
        </div>
      </form>
    <//>`
}

/**
 * What else can be done about the code of a new product: type another one than the scanned one, have one made, or say of which
 * product it is.
 *
 * @param {Pick<Purpose, 'isKnown'> & {value: import('../types.js').Signal<string>, isCodeFree: import('../types.js').Signal<boolean>, problems: import('../types.js').Signal<Record<string, string>>, focusOn: (name: string) => void, closed: () => void}} props
 */
function CodeButtons({ value, isCodeFree, problems, focusOn, isKnown, closed }) {
  const free = () => ((isCodeFree.value = true), requestAnimationFrame(() => focusOn('product_code')))
  const make = () =>
    ask('POST', '/api/codes/made', { body: { count: 1 } }).then(
      ([code]) => ((value.value = code), focusOn('description')),
      (error) => void (problems.value = { product_code: errorText(error) }),
    )
  if (isCodeFree.value) return html`<${Button} onclick=${make}>${text('code.make')}<//>`
  return html`
    <${Button} kind="text" onclick=${free}>${text('product.other-code')}<//>
    ${isKnown && html`<${Button} kind="text" onclick=${() => (closed(), void isKnown())}>${text('code.of')}<//>`}`
}

/** Return what a field has at first; a description that only repeats the code is left out: the service fills it in. @param {Record<string, any>} known @param {string} name */
function firstValue(known, name) {
  const repeats = name === 'description' && !('id' in known) && known[name] === known['product_code']
  return repeats ? '' : String(known[name] ?? '')
}

/** @param {{name: string, value: import('../types.js').Signal<string>, problem?: string, isFixed: boolean, isFirst: boolean, watched: Map<string, ReturnType<typeof watchCodes>>}} props */
function FormField({ name, value, problem = '', isFixed, isFirst, watched }) {
  const field = useRef(/** @type {HTMLInputElement | null} */ (null))
  useEffect(() => {
    if (field.current && name !== 'product_code') watched.set(name, watchCodes(field.current))
  }, [])

  const kind = {
    type: 'text',
    inputmode: NUMBERS.includes(name) ? 'numeric' : 'text',
    autocomplete: 'off',
    maxlength: TEXTS[name] ?? 16,
    ...(name === 'product_code' && (isFixed ? { readonly: true } : { 'data-takes-scans': true })),
    ...(isFirst && { autofocus: true }),
  }
  const required = ['product_code', 'description'].includes(name)
  return html`<${Field} label=${text(`product.${name}`)} name=${name} value=${value} problem=${problem} required=${required} field=${field} ...${kind} />`
}

/** Ask about a code in a field that is for something else: what to say, by the field's name. @param {Map<string, ReturnType<typeof watchCodes>>} watched */
function scannedField(watched) {
  for (const [name, codes] of watched) {
    const code = codes.ask()
    if (!code || (NUMBERS.includes(name) && code.length <= MOST_DIGITS)) continue
    return { [name]: text('product.scanned', { code, field: text(`product.${name}`) }) }
  }
  return {}
}

/**
 * Return what was typed, and what was cleared: an empty text, or the level 0, which means none. The service says what is wrong
 * with a number.
 *
 * @param {Record<string, import('../types.js').Signal<string>>} values
 * @param {Record<string, string | null>} attributes those that change
 * @param {Record<string, any>} known
 */
function bodyOf(values, attributes, known) {
  const level = (/** @type {string} */ typed) =>
    wholeNumber(typed || '0') ?? (/^\d+$/.test(typed) ? Number(typed) : typed)
  const typed = Object.entries(values).filter(([name, { value }]) => value.trim() !== '' || known[name])
  const body = typed.map(([name, { value }]) => [name, NUMBERS.includes(name) ? level(value.trim()) : value])
  return { ...Object.fromEntries(body), ...(Object.keys(attributes).length > 0 && { attributes }) }
}
