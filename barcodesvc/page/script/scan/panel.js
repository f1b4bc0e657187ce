/**
 * The last scanned product: the result of the scan, its text, its level in large figures, its last changes.
 *
 * Rule: screen readers read one short message for each scan. So this has the only live region that a scan changes.
 */

import { ask } from '../api.js'
import { openDialog } from '../dialogs.js'
import { element, fill } from '../dom.js'
import { moment, number, signed } from '../formats.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { labelsAddress } from '../products/products_by_id.js'
import { changeReason, refusalText } from '../reasons.js'
import { symbol } from '../symbols.js'
import { needed } from '../version.js'
import { ProductSteps } from './product_steps.js'

/** Changes that are shown. */
const CHANGES = 5

/**
 * @typedef {{id: number, product_code: string, description: string, level?: number, remembered?: Date}} Product
 * @typedef {'ready' | 'looking' | 'good' | 'waiting' | 'bad'} State of a scan; the last three have a sign each
 */

/**
 * What the buttons of the product do.
 *
 * @typedef {{step: (sign: 1 | -1) => void, set: () => void, openPad: () => void}} PanelActions
 */

/** The signs of results. @type {Partial<Record<State, string>>} */
const RESULTS = { good: 'good', waiting: 'waiting', bad: 'bad' }

export class ProductPanel {
  /**
   * @param {HTMLElement} node
   * @param {import('./session.js').ScanSession} session which learns the product that minus, plus and set change
   * @param {PanelActions} actions
   * @param {AbortSignal} signal
   */
  constructor(node, session, actions, signal) {
    this.node = node
    this.session = session
    this.signal = signal
    /** @type {Product | null} */
    this.product = null
    /** The time of its level. */
    this.at = new Date()
    /** The scanned text of the product. */
    this.scanned = ''
    const edge = node.querySelector('.edge')
    this.message = element('p', { class: 'message' })
    this.status = element('p', { class: 'unseen', role: 'status' })
    this.code = element('p', { class: 'code' })
    this.content = element('div', { class: 'found' })
    this.steps = new ProductSteps(session, actions)
    this.changes = element('ol', { class: 'changes' })
    this.rest = element('div', { class: 'stack' })
    fill(node, edge, this.message, this.status, this.code, this.content, this.steps.node, this.changes, this.rest)
    this.setResult('ready', '', text('scan.ready'))
    /** The product whose changes to load. @type {number | null} */
    this.wanted = null
    this.asking = false
  }

  /** Show the typed amount. */
  update() {
    this.steps.node.hidden = !this.product || this.session.waiting !== ''
    this.steps.update()
  }

  /**
   * Say what a scan led to. The product stays only if the code is its own, so that its buttons stay under the finger.
   *
   * @param {State} state
   * @param {string} code
   * @param {string} message
   */
  setResult(state, code, message) {
    if (!this.product || ![this.product.product_code, this.scanned].includes(code)) this.forget(code)
    else if (state === 'waiting') this.age()
    this.report(state, message)
  }

  /**
   * @param {State} state
   * @param {string} message
   */
  report(state, message) {
    // it would take back an earlier booking than the one under way
    if (state === 'looking') this.content.querySelector('.undo')?.remove()
    const sign = RESULTS[state]
    fill(this.message, sign && symbol(sign), message)
    fill(this.rest)
    this.node.dataset['state'] = state
    this.tell(state === 'looking' ? '' : [message, this.product?.description].filter(Boolean).join(' '))
    this.update()
  }

  /** Have screen readers read a message. @param {string} message */
  tell(message) {
    this.status.textContent = message
  }

  /** Show no product, but at most a code. @param {string} code */
  forget(code) {
    this.wanted = null
    this.product = null
    this.session.product = ''
    this.scanned = ''
    fill(this.code, code !== '' && element('bdi', null, code))
    fill(this.content)
    fill(this.changes)
  }

  /**
   * @param {State} state
   * @param {Product} product
   * @param {string} code the scanned text
   * @param {string} message the result of the scan
   * @param {() => void} [undo] takes the booking back that led to this
   */
  show(state, product, code, message, undo) {
    if (this.product?.id !== product.id) fill(this.changes)
    this.product = product
    this.at = product.remembered ?? new Date()
    this.session.product = product.product_code
    this.scanned = code
    fill(this.code)
    fill(this.content, named(product, code), levelWithActions(product, undo))
    this.report(state, message)
    this.wanted = product.id
    if (!this.asking) void this.showChanges()
  }

  /** Say of when the level is: the service has not confirmed it since. */
  age() {
    const name = this.content.querySelector('.level .soft')
    if (name) name.textContent = levelName({ remembered: this.at })
  }

  /** Load the last changes of the current product; if several were scanned meanwhile, only of the last. */
  async showChanges() {
    this.asking = true
    while (this.wanted !== null) {
      const id = this.wanted
      this.wanted = null
      const query = { limit: CHANGES }
      const found = await ask('GET', `/api/inventory/${id}/history`, { query, signal: this.signal }).catch(() => [])
      if (this.product?.id === id) fill(this.changes, ...found.map((/** @type {any} */ change) => changeLine(change)))
    }
    this.asking = false
  }

  /**
   * Say why the service refused. A product that it names is shown, with its level.
   *
   * @param {string} code
   * @param {import('../bookings/booking.js').Problem | import('../api.js').Refusal} problem
   * @param {(product: any) => void} [created] what to do when the product has been created, if no booking waits for it
   */
  refuse(code, problem, created) {
    const { product_id, new_product, candidates = [] } = problem.details ?? {}
    if (product_id) return this.show('bad', productOf(problem.details), code, refusalText(problem))
    this.forget('')
    this.setResult('bad', code, refusalText(problem))
    const create = () => void createProduct(new_product, created)
    fill(
      this.rest,
      ...candidates.map((/** @type {string} */ each) => element('p', { class: 'code' }, element('bdi', null, each))),
      new_product && element('button', { type: 'button', class: 'main', onclick: create }, text('scan.create')),
    )
  }
}

/**
 * Return the product that the details of a refusal name.
 *
 * @param {any} details
 * @returns {Product}
 */
function productOf({ product_id, product_code, description, current_level }) {
  return { id: product_id, product_code, description, level: current_level }
}

/**
 * @param {Product} product
 * @param {string} code the scanned text
 */
function named({ id, product_code, description }, code) {
  return element(
    'div',
    { class: 'named' },
    element('h2', null, element('bdi', null, description)),
    element(
      'p',
      { class: 'row' },
      element('a', { class: 'code', href: `#products/${id}` }, element('bdi', null, product_code)),
      code !== product_code && element('span', { class: 'code soft' }, element('bdi', null, code)),
    ),
  )
}

/**
 * @param {Product} product
 * @param {() => void} [undo]
 */
function levelWithActions(product, undo) {
  const word = (/** @type {string} */ key) => element('span', { class: 'word' }, text(key))
  return element(
    'div',
    { class: 'row apart' },
    element(
      'p',
      { class: 'level' },
      element('span', { class: 'soft' }, levelName(product)),
      ' ',
      element('strong', null, number(product.level ?? 0)),
    ),
    element(
      'div',
      { class: 'row' },
      undo && element('button', { type: 'button', class: 'undo', onclick: undo }, symbol('undo'), word('booking.undo')),
      element('a', { class: 'button', href: labelsAddress([product.id]) }, symbol('print'), word('scan.print')),
      element('a', { class: 'button', href: `#products/${product.id}` }, symbol('forward'), word('scan.open')),
    ),
  )
}

/** @param {{remembered?: Date}} product */
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
  const form = await needed(import('../products/form.js')).catch(({ message }) => announce(message, 'bad'))
  if (!form || openDialog()) return
  if (created) form.newProduct(known, created)
  else await form.newBookedProduct(known)
}

/**
 * @param {{old_level: number, new_level: number, updated_at: string, updated_by: string, change_reason: string}} change
 * @param {Node | null} [product] in a list of several products
 */
export function changeLine({ old_level, new_level, updated_at, updated_by, change_reason }, product) {
  return element(
    'li',
    null,
    element('span', null, signed(new_level - old_level)),
    element('span', null, number(new_level)),
    product,
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

/** Return what a booking has done, with its reason. @param {import('../bookings/booking.js').Booking} made */
export function outcomeOf({ delta, reason }) {
  const amount = number(Math.abs(delta ?? 0))
  const key = delta === null ? 'scan.booked.set' : delta > 0 ? 'scan.booked.in' : 'scan.booked.out'
  return [text(key, { amount }), reason].filter(Boolean).join(' · ')
}
