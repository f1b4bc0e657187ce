/** The form of a product, new or changed, in a dialog. */

import { ask } from '../api.js'
import { element } from '../dom.js'
import { amountOf, wholeNumber } from '../formats.js'
import { text } from '../language.js'
import { reasonOf } from './failure.js'

/** Fields of the form: the name of each in the API, and whether it is a whole number. */
const TEXTS = /** @type {const} */ (['product_code', 'description', 'category', 'unit_of_measure'])
const NUMBERS = /** @type {const} */ (['minimum_level', 'maximum_level', 'initial_level'])

/**
 * Ask for a new product, filled in as far as is known, and call `created` with it.
 *
 * @param {Record<string, any>} known
 * @param {(product: any) => void} created
 */
export function newProduct(known, created) {
  show(
    { title: text('product.new') },
    known,
    [...TEXTS, ...NUMBERS],
    (body) => ask('POST', '/api/products', { body }),
    created,
  )
}

/**
 * Ask for a new product of which a booking is made as soon as it is there, and call `created` with it.
 *
 * What is put in or set says what is there; a level that is asked for beside it would be added, or be the later count.
 *
 * @param {Record<string, any>} known
 * @param {import('../bookings/booking.js').Booking} booking
 * @param {(product: any) => void} created
 */
export function newBookedProduct(known, booking, created) {
  const save = (/** @type {object} */ body) => ask('POST', '/api/products', { body })
  const takesOut = booking.delta !== null && booking.delta < 0
  const names = [...TEXTS, ...NUMBERS.slice(0, takesOut ? 3 : 2)]
  const then = text('product.then', { amount: amountOf(booking) })
  show({ title: text('product.new'), then }, known, names, save, created)
}

/**
 * Ask for changes of a product, and call `changed` with it. Its code stays: labels carry it already.
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
 * @param {{title: string, then?: string}} says `then` is what happens behind it
 * @param {Record<string, any>} known
 * @param {readonly string[]} names
 * @param {(body: object) => Promise<any>} save
 * @param {(product: any) => void} saved
 */
function show({ title, then }, known, names, save, saved) {
  const problem = element('p', { class: 'problem', role: 'alert' })
  const fields = names.map((name) => [name, fieldOf(name, known[name])])
  const dialog = element('dialog', { 'aria-label': title, onclose: () => dialog.remove() })
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault()
    try {
      const product = await save(bodyOf(fields, known))
      dialog.close()
      saved(product)
    } catch (error) {
      showProblems(fields, problem, /** @type {any} */ (error))
    }
  }
  dialog.append(
    element(
      'form',
      { onsubmit: submit, novalidate: true },
      element('h2', null, title),
      ...fields.map(([name, field]) => element('label', null, text(`product.${name}`), field)),
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
 * Return what was typed, and what was taken out: an empty text, or the level 0, which means none.
 *
 * @param {any[][]} fields
 * @param {Record<string, any>} known
 */
function bodyOf(fields, known) {
  const given = fields.filter(([name, field]) => field.value.trim() !== '' || known[name])
  return Object.fromEntries(
    given.map(([name, field]) => [name, NUMBERS.includes(name) ? level(field.value) : field.value]),
  )
}

/** @param {string} typed the service refuses by name what is no number */
function level(typed) {
  return typed.trim() === '' ? 0 : (wholeNumber(typed) ?? typed)
}

/**
 * @param {any[][]} fields
 * @param {HTMLElement} problem
 * @param {any} error
 */
function showProblems(fields, problem, error) {
  const named = new Map((error.details?.errors ?? []).map((/** @type {any} */ each) => [each.field, each.message]))
  for (const [name, field] of fields) field.setAttribute('aria-invalid', String(named.has(name)))
  const values = Object.fromEntries(fields.map(([name, field]) => [name, field.value.trim()]))
  const sentences = [...named].map(
    ([name, message]) => `${text(`product.${name}`)}: ${whyWrong(name, values, message)}`,
  )
  problem.textContent = sentences.join(' · ') || reasonOf(error)
  fields.find(([name]) => named.has(name))?.[1].focus()
}

/**
 * Return what is wrong with a field, in the reader's language where that can be seen from what was typed.
 *
 * @param {string} name
 * @param {Record<string, string>} values
 * @param {string} message the service's
 */
function whyWrong(name, values, message) {
  const typed = values[name] ?? ''
  if (NUMBERS.includes(/** @type {any} */ (name))) {
    if (typed !== '' && wholeNumber(typed) === null) return text('import.rule.whole number')
    if (name !== 'initial_level') return text('import.rule.order')
  }
  return typed === '' ? text('import.rule.required') : message
}
