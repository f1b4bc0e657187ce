/** The last scanned product: the result of the scan, its text, its level in large figures, its last changes. */

import { ask } from '../api.js'
import { openDialog } from '../dialogs.js'
import { element, fill } from '../dom.js'
import { moment, number, signed } from '../formats.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { changeReason, reasonOf } from '../reasons.js'
import { symbol } from '../symbols.js'
import { needed } from '../version.js'

/** Changes that are shown. */
const CHANGES = 5

/**
 * @typedef {{id: number, product_code: string, description: string, level?: number, remembered?: Date}} Product
 * @typedef {'ready' | 'looking' | 'good' | 'waiting' | 'bad'} State of a scan; the last three have a sign each
 */

/** @type {Partial<Record<State, string>>} */
const SIGNS = { good: 'good', waiting: 'waiting', bad: 'bad' }

export class ProductPanel {
  /**
   * @param {HTMLElement} node
   * @param {AbortSignal} signal
   */
  constructor(node, signal) {
    this.node = node
    this.signal = signal
    /** The product whose changes to load, and the list to show them in. @type {{id: number, list: Element} | null} */
    this.wanted = null
    this.asking = false
  }

  /**
   * @param {State} state
   * @param {string} code
   * @param {string} message
   */
  say(state, code, message) {
    this.wanted = null
    const sign = SIGNS[state]
    fill(
      this.node,
      element('p', { class: 'says' }, sign && symbol(sign), message),
      code !== '' && element('p', { class: 'code' }, element('bdi', null, code)),
    )
    this.node.dataset['state'] = state
  }

  /**
   * @param {State} state
   * @param {Product} product
   * @param {string} code the scanned text
   * @param {string} message the result of the scan
   * @param {...HTMLElement} actions
   */
  show(state, product, code, message, ...actions) {
    const changes = element('ol', { class: 'changes' })
    this.say(state, '', message)
    this.node.append(
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
          element('span', { class: 'soft' }, levelName(product)),
          ' ',
          element('strong', null, number(product.level ?? 0)),
        ),
        ...actions,
      ),
      changes,
    )
    this.wanted = { id: product.id, list: changes }
    if (!this.asking) void this.showChanges()
  }

  /** Load the last changes of the current product; if several were scanned meanwhile, only of the last. */
  async showChanges() {
    this.asking = true
    while (this.wanted) {
      const { id, list } = this.wanted
      this.wanted = null
      const query = { limit: CHANGES }
      const found = await ask('GET', `/api/inventory/${id}/history`, { query, signal: this.signal }).catch(() => [])
      fill(list, ...found.map(changeLine))
    }
    this.asking = false
  }

  /**
   * @param {string} code
   * @param {import('../bookings/booking.js').Problem | import('../api.js').Refusal} problem
   * @param {(product: any) => void} [created] what to do when the product has been created, if no booking waits for it
   */
  refuse(code, problem, created) {
    const offered = problem.details?.new_product
    this.say('bad', code, reasonOf(problem))
    for (const candidate of problem.details?.candidates ?? []) {
      this.node.append(element('p', { class: 'code' }, element('bdi', null, String(candidate))))
    }
    if (!offered) return
    const create = () => void createProduct(offered, created)
    this.node.append(element('button', { type: 'button', class: 'main', onclick: create }, text('scan.create')))
  }
}

/** @param {Product} product */
function levelName({ remembered }) {
  return remembered ? text('level.remembered', { time: moment(remembered) }) : text('level')
}

/**
 * Ask for a new product with the form, which is loaded when it is first needed. Without `created`, the bookings that were
 * refused because this product was missing are made when it exists.
 *
 * @param {Record<string, any>} known
 * @param {(product: any) => void} [created]
 */
export async function createProduct(known, created) {
  const form = await needed(import('./product_form.js')).catch(({ message }) => announce(message, 'bad'))
  if (!form || openDialog()) return
  if (created) form.newProduct(known, created)
  else await form.newBookedProduct(known)
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
