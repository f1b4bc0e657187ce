/**
 * The bar with the number of labels, and what prints them.
 *
 * Rule: no browser says whether its print dialog was cancelled. So the first free label moves on, and a button takes that back
 * as long as the next print would begin there.
 */

import { element, fill } from '../dom.js'
import { nextFree } from './free_labels.js'
import { MOST_LABELS } from './selection.js'
import { keepOrder } from './last_orders.js'
import { text } from '../language.js'
import { countOf } from './order_words.js'
import { queue, whyNotQueued } from '../printers/jobs.js'
import { openPrinted, print, whyNotPrinted } from './printing.js'
import { capacity, sheetsFor } from './sheets.js'
import { symbol } from '../symbols.js'

/** @typedef {import('./printing.js').Order} Order */
/** @typedef {import('./sheets.js').Sheet} Sheet */

/**
 * @typedef {object} Orders
 * @property {() => Order | null} chosen returns what to print
 * @property {(action: () => Promise<void>) => Promise<void>} inTurn does something after the scans before it
 * @property {(order: Order) => void} printed called when its document is in the print dialog, or the printer's queue has it
 * @property {(job: import('../types.js').Job, order: Order) => void} queued called with the job in the queue of a printer
 * @property {(order: Order) => void} takenBack called when a person says that it was not printed
 */

export class PrintBar {
  #orders
  #isPrinting = false
  #isReady = false
  /** The last order of this view. @type {Order | null} */
  #printed = null
  #sum = element('p', { class: 'sum', role: 'status' })
  #problem = element('p', { class: 'problem', role: 'alert' })
  #name = element('span', null, text('labels.print'))
  #back = element('button', { type: 'button', onclick: () => this.#takeBack() })
  #print = element(
    'button',
    { type: 'button', class: 'main', onclick: () => void this.print(this.#orders.chosen) },
    symbol('print'),
    this.#name,
  )

  /**
   * @param {Orders} orders
   * @param {HTMLElement} state that of the printer in words
   */
  constructor(orders, state) {
    this.#orders = orders
    this.node = element('div', { class: 'wide print-bar' }, this.#sum, this.#problem, state, this.#back, this.#print)
  }

  /**
   * @param {number} count number of labels
   * @param {Sheet | null} sheet
   * @param {number} first
   * @param {() => boolean} isRefused whether the labels cannot be printed
   */
  show(count, sheet, first, isRefused) {
    this.#isReady = count > 0 && count <= MOST_LABELS && sheet !== null && !isRefused()
    this.#sum.textContent = sumOf(count, sheet, first)
    this.#problem.textContent = count > MOST_LABELS ? text('labels.too-many', { most: MOST_LABELS }) : ''
    const before = this.#printed?.first ?? 1
    this.#back.hidden = !(sheet && this.#printed && movedTo(first, sheet, this.#printed))
    this.#back.textContent = text('labels.not-printed', { position: before })
    this.#showButton()
  }

  /**
   * Say what the button does: print, or put into the queue of a printer that prints nothing now.
   *
   * @param {string} name
   */
  call(name) {
    if (this.#name.textContent !== name) this.#name.textContent = name
  }

  #showButton() {
    this.#print.disabled = this.#isPrinting || !this.#isReady
  }

  #takeBack() {
    const order = this.#printed
    this.#printed = null
    if (order) this.#orders.takenBack(order)
    this.#print.focus()
  }

  /**
   * Print an order, with what was scanned before; what is chosen later is not of this order.
   *
   * @param {() => Order | null} order
   */
  async print(order) {
    if (this.#isPrinting) return
    this.#isPrinting = true
    this.#showButton()
    await this.#orders.inTurn(() => this.#send(order()))
    this.#isPrinting = false
    this.#showButton()
    // a disabled button loses the focus; after a failure Enter tries again
    if (this.#problem.hasChildNodes() && document.activeElement === document.body) this.#print.focus()
  }

  /** @param {Order | null} order */
  async #send(order) {
    if (!order) return
    fill(this.#problem, await (order.printer ? this.#queue(order) : this.#open(order)))
  }

  /**
   * Open the document of an order in the print dialog; return what to show instead.
   *
   * @param {Order} order
   */
  #open(order) {
    return print(order).then(
      (shown) => (this.#done(order), shown ? null : openingButton()),
      (error) => whyNotPrinted(error, order.symbology),
    )
  }

  /**
   * Put an order into the queue of its printer; return why that failed.
   *
   * @param {Order} order
   */
  #queue(order) {
    return queue(order).then(
      (job) => {
        this.#printed = null
        this.#orders.printed(order)
        this.#orders.queued(job, order)
        return null
      },
      (error) => whyNotQueued(error, order.symbology),
    )
  }

  /** @param {Order} order */
  #done(order) {
    keepOrder(order, new Date())
    this.#printed = order
    this.#orders.printed(order)
  }
}

/**
 * Whether the first free label is the one behind an order, and not the one with which that began.
 *
 * @param {number} first
 * @param {Sheet} sheet
 * @param {Order} order
 */
function movedTo(first, sheet, order) {
  const begin = order.first ?? 1
  return sheet.sheet === order.sheet && first !== begin && first === nextFree(sheet, begin, countOf(order))
}

/**
 * Return how many labels and sheets are printed.
 *
 * @param {number} count
 * @param {Sheet | null} sheet
 * @param {number} first
 */
function sumOf(count, sheet, first) {
  const sum = text('labels.sum', { count })
  if (!sheet || !count || capacity(sheet) === 1) return sum
  return `${sum} · ${text('labels.sheets', { count: sheetsFor(sheet, first, count) })}`
}

/** Return a button that opens the document if the browser has not let the page do it. */
function openingButton() {
  return element('button', { type: 'button', onclick: openPrinted }, text('labels.open'))
}
