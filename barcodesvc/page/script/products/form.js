/**
 * The form of a product, new or changed, in a dialog.
 *
 * Rule: a code that a slow scanner typed into another field is asked about before it is stored, and the Enter behind it
 * only goes to the next field. A creation without a response has the same key when it is tried again, so it counts once.
 */

import { ask, fetched, LIMITS } from '../api.js'
import { newKey } from '../bookings/booking.js'
import { bookings } from '../bookings/sending.js'
import { authorName } from '../bookings/store.js'
import { amountOf } from '../formats.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { whyNotStored } from '../reasons.js'
import { resolveScan } from '../resolve_scan.js'
import { watchCodes } from '../scanner/typed_codes.js'
import { wholeNumber } from '../typed_values.js'
import { Button, Dialog, draw, errorText, Field, html, signal, useEffect, useRef, useSignal } from '../ui.js'
import { AttributeRows, rowsOf } from './attribute_rows.js'
import { attributeChanges, wrongRow } from './attributes.js'

/** Fields of the form: the name of each in the API, and whether it is a whole number. */
const TEXTS = /** @type {const} */ (['product_code', 'description', 'category', 'unit_of_measure'])
const NUMBERS = /** @type {const} */ (['minimum_level', 'maximum_level', 'initial_level'])

/** Fields that a product must have. */
const REQUIRED = ['product_code', 'description']

/** Most characters of each text, and of a number, which may be grouped. @type {Record<string, number>} */
const LONGEST = {
  product_code: LIMITS.code,
  description: LIMITS.description,
  category: LIMITS.short_text,
  unit_of_measure: LIMITS.short_text,
}
const MOST_TYPED = 16

/** Most digits of a number that is too short for a code. */
const MOST_DIGITS = 6

/**
 * What a form is for: `then` is what happens afterwards; a request to save has a key, and is repeated with it.
 *
 * @typedef {{title: string, then?: string, known: Record<string, any>, names: readonly string[], save: (body: object, key: string) => Promise<any>, saved: (product: any) => void}} Purpose
 */

/**
 * Ask for a new product, filled in as far as a scan allows, and call `created` with it.
 *
 * @param {Record<string, any>} known
 * @param {(product: any) => void} created
 */
export function newProduct(known, created) {
  const names = [...TEXTS, ...NUMBERS]
  show({ title: text('product.new'), known: withoutRepeats(known), names, save: create, saved: created })
}

/**
 * Ask for a new product; once it exists, make the bookings that were refused because it was missing.
 *
 * Put in or Set already says the level; a level asked for as well would be added, or count as the later one.
 *
 * @param {Record<string, any>} known
 */
export async function newBookedProduct(known) {
  const stored = await bookings().catch((error) => announce(whyNotStored(error), 'bad'))
  if (!stored) return
  const { queue, storage } = stored
  const refused = (await storage.listed(0)).filter((booking) => wants(booking, known['product_code'])).reverse()
  const takesOut = refused.some(({ delta }) => delta !== null && delta < 0)
  show({
    title: text('product.new'),
    then: refused.length ? text('product.then', { amount: refused.map(amountOf).join(', ') }) : '',
    known: withoutRepeats(known),
    names: [...TEXTS, ...NUMBERS.slice(0, takesOut ? 3 : 2)],
    save: create,
    saved: ({ product_code }) => {
      const other = product_code === known['product_code'] ? undefined : product_code
      for (const { id } of refused) void queue.retry(id, other)
    },
  })
}

/**
 * Ask for changes of a product, and call `changed` with it. Its code stays, because labels already carry it.
 *
 * @param {Record<string, any>} product
 * @param {(product: any) => void} changed
 */
export function changeProduct(product, changed) {
  const save = (/** @type {object} */ body) => ask('PUT', `/api/products/${product['id']}`, { body })
  const names = [...TEXTS.slice(1), ...NUMBERS.slice(0, 2)]
  show({ title: text('product.change'), known: product, names, save, saved: changed })
}

/**
 * Whether a booking was refused because this product was missing.
 *
 * @param {import('../bookings/booking.js').Booking} booking
 * @param {string} code
 */
function wants({ state, problem }, code) {
  return state === 'refused' && problem?.details?.new_product?.product_code === code
}

/**
 * @param {object} body
 * @param {string} key
 */
async function create(body, key) {
  const options = { body: { ...body, updated_by: authorName() } }
  const response = await fetched('POST', '/api/products', options, { 'Idempotency-Key': key })
  return (await response.json()).data
}

/**
 * Leave out a description that only repeats the code: the service fills it in if a scan brings none.
 *
 * @param {Record<string, any>} known
 */
function withoutRepeats(known) {
  return known['description'] === known['product_code'] ? { ...known, description: '' } : known
}

/** @param {Purpose} purpose */
function show(purpose) {
  const place = document.body.appendChild(document.createElement('div'))
  const close = () => (end(), place.remove())
  const { end } = draw(html`<${ProductForm} ...${purpose} closed=${() => close()} />`, place)
}

/** @param {Purpose & {closed: () => void}} props */
function ProductForm({ title, then, known, names, save, saved, closed }) {
  const form = useRef(/** @type {HTMLFormElement | null} */ (null))
  const values = useRef(Object.fromEntries(names.map((name) => [name, signal(String(known[name] ?? ''))]))).current
  const rows = useSignal(rowsOf(known['attributes'] ?? {}))
  const problems = useSignal(/** @type {Record<string, string>} */ ({}))
  const [isSaving, isCodeFree] = [useSignal(false), useSignal(!known['product_code'] || 'id' in known)]
  const attempt = useRef({ body: '', key: '' })
  const question = useQuestion(form, names, known)

  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault()
    const wrong = wrongRow([...rows.value])
    problems.value = wrong
      ? { attributes: text(`attribute.wrong.${wrong.problem}`), row: `${wrong.index}` }
      : await question()
    if (isSaving.value || Object.keys(problems.value).length) return
    const typed = Object.fromEntries(names.map((name) => [name, values[name]?.value ?? '']))
    const body = bodyOf(typed, attributeChanges(known['attributes'] ?? {}, [...rows.value]), known)
    if (attempt.current.body !== JSON.stringify(body)) attempt.current = { body: JSON.stringify(body), key: newKey() }
    isSaving.value = true
    try {
      const product = await save(body, attempt.current.key)
      closed()
      saved(product)
    } catch (error) {
      isSaving.value = false
      problems.value = problemsOf(error, names)
      focusOn(
        form.current,
        names.find((name) => name in problems.value),
      )
    }
  }
  const field = (/** @type {string} */ name) =>
    names.includes(name) &&
    html`
      <${FormField} key=${name} name=${name} value=${values[name]} problem=${problems.value[name]} isFixed=${name === 'product_code' && !isCodeFree.value}
        isFirst=${name === (isCodeFree.value ? names[0] : 'description')} />`
  const { row = '-1', attributes, other } = problems.value
  return html`
    <${Dialog} title=${title} closed=${closed}>
      <form ref=${form} onsubmit=${submit} onkeydown=${toNextField} novalidate>
        <div class="row fixed">
          ${field('product_code')}${!isCodeFree.value && html`<${OtherCode} form=${form} isFree=${isCodeFree} />`}
        </div>
        ${field('description')}
        <div class="side-by-side">${['category', 'unit_of_measure'].map(field)}</div>
        <div class="side-by-side">${NUMBERS.map(field)}</div>
        <${AttributeRows} rows=${rows} wrong=${Number(row)} />
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
 * The button that lets a person change a scanned code, which is fixed until then.
 *
 * @param {{form: {current: HTMLFormElement | null}, isFree: import('../types.js').Signal<boolean>}} props
 */
function OtherCode({ form, isFree }) {
  const free = () => {
    isFree.value = true
    requestAnimationFrame(() => focusOn(form.current, 'product_code'))
  }
  return html`<${Button} kind="text" onclick=${free}>${text('product.other-code')}<//>`
}

/** @param {{name: string, value: import('../types.js').Signal<string>, problem?: string, isFixed: boolean, isFirst: boolean}} props */
function FormField({ name, value, problem = '', isFixed, isFirst }) {
  const isNumber = isNumeric(name)
  const kind = {
    type: 'text',
    inputmode: isNumber ? 'numeric' : 'text',
    autocomplete: 'off',
    maxlength: isNumber ? MOST_TYPED : LONGEST[name],
    ...(name === 'product_code' && (isFixed ? { readonly: true } : { 'data-takes-scans': true })),
    ...(isFirst && { autofocus: true }),
  }
  return html`
    <${Field} label=${text(`product.${name}`)} name=${name} value=${value} problem=${problem} required=${REQUIRED.includes(name)}
      ...${kind} />`
}

/**
 * Return a function that asks, once, about a code in a field that is for something else: what to say, by the field's name.
 *
 * @param {{current: HTMLFormElement | null}} form
 * @param {readonly string[]} names
 * @param {Record<string, any>} known
 */
function useQuestion(form, names, known) {
  const watched = useRef(/** @type {[string, HTMLInputElement, ReturnType<typeof watchCodes>][]} */ ([]))
  const described = useRef(known['description'] ?? '')
  useEffect(() => {
    for (const name of names.filter((each) => each !== 'product_code')) {
      const field = form.current?.elements.namedItem(name)
      if (field instanceof HTMLInputElement) watched.current.push([name, field, watchCodes(field)])
    }
  }, [])

  /** Return the name of the product whose code is the description. @param {string} description */
  async function productWith(description) {
    if (!description || description === described.current) return ''
    described.current = description
    const found = await resolveScan(description, new AbortController().signal).catch(() => null)
    return found && found.id !== known['id'] ? found.description : ''
  }

  return async () => {
    for (const [name, field, codes] of watched.current) {
      const code = codes.ask()
      const product = name === 'description' ? await productWith(field.value.trim()) : ''
      const isUsual = isNumeric(name) && code.length <= MOST_DIGITS
      if (!product && (!code || isUsual)) continue
      field.focus()
      field.select()
      const scanned = { code, field: text(`product.${name}`) }
      return {
        [name]: product
          ? text('product.is-code', { code: field.value.trim(), product })
          : text('product.scanned', scanned),
      }
    }
    return {}
  }
}

/** @param {string} name of a field */
function isNumeric(name) {
  return NUMBERS.includes(/** @type {any} */ (name))
}

/**
 * @param {HTMLFormElement | null} form
 * @param {string | undefined} name
 */
function focusOn(form, name) {
  const field = name && form?.elements.namedItem(name)
  if (field instanceof HTMLElement) field.focus()
}

/**
 * Go on to the next field, or from the last one to the button: an Enter may be a scanner's, and stores nothing.
 *
 * @param {KeyboardEvent} event
 */
function toNextField(event) {
  const { target, key, isComposing, currentTarget } = event
  if (key !== 'Enter' || isComposing || !(target instanceof HTMLInputElement)) return
  event.preventDefault()
  /** @type {NodeListOf<HTMLElement>} */
  const stops = /** @type {HTMLElement} */ (currentTarget).querySelectorAll('input:not([readonly]), button.main')
  const all = [...stops]
  all[all.indexOf(target) + 1]?.focus()
}

/**
 * Return what was typed, and what was cleared: an empty text, or the level 0, which means none.
 *
 * @param {Record<string, string>} typed
 * @param {Record<string, string | null>} attributes those that change
 * @param {Record<string, any>} known
 */
function bodyOf(typed, attributes, known) {
  const given = Object.entries(typed).filter(([name, value]) => value.trim() !== '' || known[name])
  const values = given.map(([name, value]) => [name, isNumeric(name) ? level(value) : value])
  return { ...Object.fromEntries(values), ...(Object.keys(attributes).length > 0 && { attributes }) }
}

/** @param {string} typed the service says what is wrong with it */
function level(typed) {
  const number = typed.trim()
  return wholeNumber(number || '0') ?? (/^\d+$/.test(number) ? Number(number) : typed)
}

/**
 * Return what is wrong, by the names of the fields; what concerns none of them as `other`.
 *
 * @param {any} error
 * @param {readonly string[]} names
 * @returns {Record<string, string>}
 */
function problemsOf(error, names) {
  const refusals = error.details?.errors ?? []
  if (refusals.length === 0) return { other: errorText(error) }
  return Object.fromEntries(
    refusals.map((/** @type {any} */ refusal) => [
      names.includes(refusal.field) ? refusal.field : 'other',
      whyWrong(refusal),
    ]),
  )
}
/**
 * Return what is wrong with a refused field, as a sentence.
 *
 * @param {{field: string, rule: string, message: string}} refusal
 */
function whyWrong({ field, rule, message }) {
  if (rule === 'too many names') return text('attribute.full')
  const name = field.startsWith('attributes') ? text('attribute.all') : text(`product.${field}`)
  const says = text(`import.rule.${rule}`, {}, message)
  return `${name}${['order', 'too many'].includes(rule) ? ':' : ''} ${says}`
}
