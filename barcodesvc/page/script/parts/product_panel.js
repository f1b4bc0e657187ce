/** The product that was scanned last: what became of the scan, its text, its level in large figures, its last changes. */

import { ask } from '../api.js'
import { element, fill } from '../dom.js'
import { moment, number, signed } from '../formats.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { changeReason, reasonOf } from '../reasons.js'
import { symbol } from '../symbols.js'

/** Changes that are shown. */
const CHANGES = 5

/**
 * @typedef {{id: number, product_code: string, description: string, level?: number}} Product
 * @typedef {'ready' | 'looking' | 'good' | 'waiting' | 'bad'} State of a scan; the last three have a sign each
 */

/** @type {Partial<Record<State, string>>} */
const SIGNS = { good: 'good', waiting: 'waiting', bad: 'bad' }

/** @param {AbortSignal} signal */
export function productPanel(signal) {
  const node = element('section', { class: 'card product', 'aria-live': 'polite', 'aria-label': text('scan.product') })
  /** The product whose changes are wanted, and the list that they go to. @type {{id: number, list: Element} | null} */
  let wanted = null
  let asking = false
  say('ready', '', text('scan.ready'))

  /**
   * @param {State} state
   * @param {string} code
   * @param {string} message
   */
  function say(state, code, message) {
    wanted = null
    const sign = SIGNS[state]
    fill(
      node,
      element('p', { class: 'says' }, sign && symbol(sign), message),
      code !== '' && element('p', { class: 'code' }, element('bdi', null, code)),
    )
    node.dataset['state'] = state
  }

  /**
   * @param {Product} product
   * @param {string} code what was scanned
   * @param {string} message what became of it
   * @param {...HTMLElement} actions
   */
  function show(product, code, message, ...actions) {
    const changes = element('ol', { class: 'changes' })
    say('good', '', message)
    node.append(
      element(
        'div',
        { class: 'named' },
        element('h2', null, element('bdi', null, product.description)),
        element(
          'p',
          { class: 'row' },
          element('a', { class: 'code', href: `#products/${product.id}` }, element('bdi', null, product.product_code)),
          code !== product.product_code && element('span', { class: 'code soft' }, element('bdi', null, code)),
        ),
      ),
      element(
        'div',
        { class: 'row apart' },
        element(
          'p',
          { class: 'level' },
          element('span', { class: 'soft' }, text('level')),
          ' ',
          element('strong', null, number(product.level ?? 0)),
        ),
        ...actions,
      ),
      changes,
    )
    wanted = { id: product.id, list: changes }
    if (!asking) void showChanges()
  }

  /** Ask for the last changes of the product that stands there; of those that were scanned meanwhile only the last. */
  async function showChanges() {
    asking = true
    while (wanted) {
      const { id, list } = wanted
      wanted = null
      const query = { limit: CHANGES }
      const found = await ask('GET', `/api/inventory/${id}/history`, { query, signal }).catch(() => [])
      fill(list, ...found.map(changeLine))
    }
    asking = false
  }

  /**
   * @param {string} code
   * @param {import('../bookings/booking.js').Problem | import('../api.js').Refusal} problem
   * @param {() => void} again what to do when the product has been created
   * @param {import('../bookings/booking.js').Booking | null} [booking] that is made then
   */
  function refuse(code, problem, again, booking = null) {
    const offered = problem.details?.new_product
    say('bad', code, reasonOf(problem))
    for (const candidate of problem.details?.candidates ?? []) {
      node.append(element('p', { class: 'code' }, element('bdi', null, String(candidate))))
    }
    if (!offered) return
    const create = () => void createProduct(offered, booking, again)
    node.append(element('button', { type: 'button', class: 'main', onclick: create }, text('scan.create')))
  }

  return { node, say, show, refuse }
}

/**
 * Ask for a new product, with the form, which is loaded when it is first wanted.
 *
 * @param {Record<string, any>} known
 * @param {import('../bookings/booking.js').Booking | null} booking that is made then
 * @param {() => void} created
 */
export async function createProduct(known, booking, created) {
  try {
    const { newBookedProduct, newProduct } = await import('./product_form.js')
    if (booking) newBookedProduct(known, booking, created)
    else newProduct(known, created)
  } catch {
    announce(text('unreachable'), 'bad')
  }
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
      element('bdi', null, changeReason(change_reason)),
    ),
  )
}
