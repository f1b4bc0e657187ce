/** The product that was scanned last: its text, its level in large figures, its last changes. */

import { ask } from '../api.js'
import { element, fill } from '../dom.js'
import { moment, number, signed, wholeNumber } from '../formats.js'
import { text } from '../language.js'
import { newProduct } from './product_form.js'

/** Changes that are shown. */
const CHANGES = 5

/** Milliseconds without a further scan before the last changes are asked for. */
const CALM = 120

/**
 * @typedef {{id: number, product_code: string, description: string, level?: number}} Product
 *
 * @param {AbortSignal} signal
 */
export function productPanel(signal) {
  const node = element('section', { class: 'card product', 'aria-live': 'polite', 'aria-label': text('scan.product') })
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let calm
  say('', text('scan.ready'))
  signal.addEventListener('abort', () => clearTimeout(calm))

  /**
   * @param {string} code
   * @param {string} message
   */
  function say(code, message) {
    clearTimeout(calm)
    fill(
      node,
      code && element('p', { class: 'code soft' }, element('bdi', null, code)),
      element('p', { class: 'says' }, message),
    )
    node.dataset['state'] = 'says'
  }

  /** @param {string} code */
  function wait(code) {
    say(code, text('scan.looking'))
  }

  /**
   * @param {Product} product
   * @param {string} code
   */
  function show(product, code) {
    clearTimeout(calm)
    const changes = element('ol', { class: 'changes' })
    fill(
      node,
      element(
        'div',
        { class: 'row apart' },
        element('a', { class: 'code', href: `#products/${product.id}` }, element('bdi', null, product.product_code)),
        code !== product.product_code && element('span', { class: 'code soft' }, element('bdi', null, code)),
      ),
      element('h2', null, element('bdi', null, product.description)),
      product.level !== undefined &&
        element(
          'p',
          { class: 'level' },
          element('span', { class: 'soft' }, text('level')),
          ' ',
          element('strong', null, number(product.level)),
        ),
      changes,
    )
    node.dataset['state'] = 'good'
    calm = setTimeout(() => void showChanges(product.id, changes), CALM)
  }

  /**
   * @param {number} id
   * @param {HTMLElement} list
   */
  async function showChanges(id, list) {
    const found = await ask('GET', `/api/inventory/${id}/history`, { query: { limit: CHANGES }, signal }).catch(
      () => [],
    )
    fill(list, ...found.map(changeLine))
  }

  /**
   * @param {string} code
   * @param {import('../bookings/booking.js').Problem | import('../api.js').Refusal} problem
   * @param {(code: string) => void} again what to do when the product has been created
   */
  function refuse(code, problem, again) {
    const offered = problem.details?.new_product
    say(code, problem.code === 'PRODUCT_NOT_FOUND' ? text('scan.unknown') : problem.message)
    node.dataset['state'] = 'bad'
    const create = () => newProduct(offered, () => again(code))
    if (offered) node.append(element('button', { type: 'button', class: 'main', onclick: create }, text('scan.create')))
    for (const candidate of problem.details?.candidates ?? [])
      node.append(element('p', { class: 'code' }, String(candidate)))
  }

  /**
   * @param {number} level
   * @param {(level: number) => void} set
   */
  function askForLevel(level, set) {
    const problem = element('p', { class: 'problem', role: 'alert' })
    const field = element('input', {
      type: 'text',
      inputmode: 'numeric',
      autocomplete: 'off',
      placeholder: number(level),
    })
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault()
      const counted = wholeNumber(field.value)
      if (counted === null) problem.textContent = text('whole-number')
      else set(counted)
    }
    node.append(
      element(
        'form',
        { class: 'row', onsubmit: submit },
        element('label', { class: 'grow' }, text('scan.counted'), field),
        element('button', { class: 'main' }, text('scan.set')),
        problem,
      ),
    )
    field.focus()
  }

  return { node, say, wait, show, refuse, askForLevel }
}

/** @param {{old_level: number, new_level: number, updated_at: string, updated_by: string, change_reason: string}} change */
function changeLine({ old_level, new_level, updated_at, updated_by, change_reason }) {
  return element(
    'li',
    null,
    element('span', null, signed(new_level - old_level)),
    element('span', null, number(new_level)),
    element('span', { class: 'soft' }, moment(updated_at)),
    element(
      'span',
      { class: 'soft' },
      element('bdi', null, updated_by),
      change_reason && ' · ',
      element('bdi', null, change_reason),
    ),
  )
}
