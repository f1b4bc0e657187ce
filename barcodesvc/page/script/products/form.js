/**
 * The form of a product, new or changed, in a dialog.
 *
 * Rule: a code that a slow scanner typed into another field is asked about before it is stored, and the Enter behind it
 * only goes to the next field.
 */

import { ask } from '../api.js'
import { bookings } from '../bookings/sending.js'
import { element } from '../dom.js'
import { amountOf } from '../formats.js'
import { wholeNumber } from '../typed_values.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { whyNotStored } from '../reasons.js'
import { resolveScan } from '../resolve_scan.js'
import { settings } from '../settings.js'
import { watchCodes } from '../scanner/typed_codes.js'
import { AttributeRows } from './attribute_rows.js'
import { errorText } from '../failure.js'

/** Fields of the form: the name of each in the API, and whether it is a whole number. */
const TEXTS = /** @type {const} */ (['product_code', 'description', 'category', 'unit_of_measure'])
const NUMBERS = /** @type {const} */ (['minimum_level', 'maximum_level', 'initial_level'])

/** Most digits of a number that is too short for a code. */
const MOST_DIGITS = 6

/**
 * Ask for a new product, filled in as far as a scan allows, and call `created` with it.
 *
 * @param {Record<string, any>} known
 * @param {(product: any) => void} created
 */
export function newProduct(known, created) {
  show({ title: text('product.new') }, withoutRepeats(known), [...TEXTS, ...NUMBERS], create, created)
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
  const names = [...TEXTS, ...NUMBERS.slice(0, takesOut ? 3 : 2)]
  const then = refused.length > 0 && text('product.then', { amount: refused.map(amountOf).join(', ') })
  show({ title: text('product.new'), then }, withoutRepeats(known), names, create, ({ product_code }) => {
    const other = product_code === known['product_code'] ? undefined : product_code
    for (const { id } of refused) void queue.retry(id, other)
  })
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

/** @param {object} body */
function create(body) {
  return ask('POST', '/api/products', { body: { ...body, updated_by: settings().author || text('author.device') } })
}

/**
 * Leave out a description that only repeats the code: the service fills it in if a scan brings none.
 *
 * @param {Record<string, any>} known
 */
function withoutRepeats(known) {
  return known['description'] === known['product_code'] ? { ...known, description: '' } : known
}

/**
 * Ask for changes of a product, and call `changed` with it. Its code stays, because labels already carry it.
 *
 * @param {Record<string, any>} product
 * @param {(product: any) => void} changed
 */
export function changeProduct(product, changed) {
  const fields = [...TEXTS.slice(1), ...NUMBERS.slice(0, 2)]
  show(
    { title: text('product.change') },
    product,
    fields,
    (body) => ask('PUT', `/api/products/${product['id']}`, { body }),
    changed,
  )
}

/**
 * @param {{title: string, then?: string | false}} says `then` is what happens afterwards
 * @param {Record<string, any>} known
 * @param {readonly string[]} names
 * @param {(body: object) => Promise<any>} save
 * @param {(product: any) => void} saved
 */
function show({ title, then }, known, names, save, saved) {
  const problem = element('p', { class: 'problem', role: 'alert' })
  const fields = names.map((name) => /** @type {const} */ ([name, fieldOf(name, known[name])]))
  const attributes = new AttributeRows(known['attributes'] ?? {})
  const question = questionOf(fields, known)
  const dialog = element('dialog', { 'aria-label': title, onclose: () => dialog.remove() })
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault()
    problem.textContent = attributes.problem() || (await question())
    if (problem.textContent) return
    try {
      const product = await save(bodyOf(fields, attributes.changes(), known))
      dialog.close()
      saved(product)
    } catch (error) {
      showProblems(fields, problem, /** @type {any} */ (error))
    }
  }
  dialog.append(
    element(
      'form',
      { onsubmit: submit, onkeydown: toNextField, novalidate: true },
      element('h2', null, title),
      ...fields.map(([name, field]) => rowOf(name, field, known)),
      attributes.node,
      then && element('p', null, then),
      problem,
      element(
        'div',
        { class: 'row' },
        element('button', { class: 'main' }, text('save')),
        element('button', { type: 'button', onclick: () => dialog.close() }, text('cancel')),
      ),
    ),
  )
  document.body.append(dialog)
  dialog.showModal()
}

/**
 * Return a function that asks, once, about a code in a field that is for something else: what to say, or an empty text.
 *
 * @param {readonly (readonly [string, HTMLInputElement])[]} fields
 * @param {Record<string, any>} known
 */
function questionOf(fields, known) {
  const watched = fields
    .slice(fields[0]?.[0] === 'product_code' ? 1 : 0)
    .map(([name, field]) => /** @type {const} */ ([name, field, watchCodes(field)]))
  let described = known['description'] ?? ''

  /** @param {string} description */
  async function productWith(description) {
    if (!description || description === described) return null
    described = description
    const found = await resolveScan(description, new AbortController().signal).catch(() => null)
    return found && found.id !== known['id'] ? found.description : null
  }

  return async () => {
    for (const [name, field, codes] of watched) {
      const code = codes.ask()
      const product = name === 'description' ? await productWith(field.value.trim()) : null
      if (product) return asked(field, text('product.is-code', { code: field.value.trim(), product }))
      if (code && !isUsualNumber(name, code))
        return asked(field, text('product.scanned', { code, field: text(`product.${name}`) }))
    }
    return ''
  }
}

/**
 * Whether a text is a number that is too short for a code.
 *
 * @param {string} name of the field
 * @param {string} typed
 */
function isUsualNumber(name, typed) {
  return NUMBERS.includes(/** @type {any} */ (name)) && typed.length <= MOST_DIGITS
}

/**
 * @param {HTMLInputElement} field
 * @param {string} question
 */
function asked(field, question) {
  field.focus()
  field.select()
  return question
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
 * @param {string} name
 * @param {HTMLInputElement} field
 * @param {Record<string, any>} known
 */
function rowOf(name, field, known) {
  const label = element('label', { class: 'grow' }, text(`product.${name}`), field)
  if (!known['product_code'] || known['id']) return label
  if (name === 'description') field.autofocus = true
  return name === 'product_code' ? fixedCode(label, field) : label
}

/**
 * Return the row of a scanned code: it is fixed until a person asks to change it.
 *
 * @param {HTMLElement} label
 * @param {HTMLInputElement} field
 */
function fixedCode(label, field) {
  const change = element('button', { type: 'button', class: 'plain', onclick: free }, text('product.other-code'))
  field.readOnly = true
  delete field.dataset['takesScans']

  function free() {
    field.readOnly = false
    field.dataset['takesScans'] = ''
    change.remove()
    field.focus()
  }
  return element('div', { class: 'row fixed' }, label, change)
}

/**
 * @param {string} name
 * @param {any} value
 */
function fieldOf(name, value) {
  const isNumber = NUMBERS.includes(/** @type {any} */ (name))
  return element('input', {
    name,
    type: 'text',
    inputmode: isNumber ? 'numeric' : 'text',
    autocomplete: 'off',
    maxlength: isNumber ? 16 : name === 'description' ? 500 : 64,
    value: value ?? '',
    ...(name === 'product_code' ? { 'data-takes-scans': true } : {}),
  })
}

/**
 * Return what was typed, and what was cleared: an empty text, or the level 0, which means none.
 *
 * @param {readonly (readonly any[])[]} fields
 * @param {Record<string, string | null>} attributes those that change
 * @param {Record<string, any>} known
 */
function bodyOf(fields, attributes, known) {
  const given = fields.filter(([name, field]) => field.value.trim() !== '' || known[name])
  const values = given.map(([name, field]) => [name, NUMBERS.includes(name) ? level(field.value) : field.value])
  return { ...Object.fromEntries(values), ...(Object.keys(attributes).length > 0 && { attributes }) }
}

/** @param {string} typed the service says what is wrong with it */
function level(typed) {
  const number = typed.trim()
  return wholeNumber(number || '0') ?? (/^\d+$/.test(number) ? Number(number) : typed)
}

/**
 * @param {readonly (readonly any[])[]} fields
 * @param {HTMLElement} problem
 * @param {any} error
 */
function showProblems(fields, problem, error) {
  const refusals = error.details?.errors ?? []
  const named = new Set(refusals.map((/** @type {any} */ { field }) => field))
  for (const [name, field] of fields) field.setAttribute('aria-invalid', String(named.has(name)))
  const sentences = new Set(refusals.map(whyWrong))
  problem.textContent = [...sentences].join(' · ') || errorText(error)
  fields.find(([name]) => named.has(name))?.[1].focus()
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
