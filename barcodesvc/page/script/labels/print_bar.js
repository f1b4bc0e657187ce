/**
 * The bar with the number of labels, and what prints them.
 *
 * Rule: no browser says whether its print dialog was cancelled. So the first free label moves on, and a button takes that back
 * as long as the next print would begin there.
 */

import { text } from '../language.js'
import { LIMITS } from '../api.js'
import { queue, whyNotQueued } from '../printers/jobs.js'
import { Button, html, useEffect, useRef, useSignal } from '../ui.js'
import { nextFree } from './free_labels.js'
import { keepOrder } from './last_orders.js'
import { countOf } from './order_words.js'
import { openPrinted, print, whyNotPrinted } from './printing.js'
import { capacity, sheetsFor } from './sheets.js'

/** @typedef {import('../types.js').Order} Order */
/** @typedef {import('../types.js').Sheet} Sheet */
/** @typedef {import('../types.js').Job} Job */

/** What shows instead of a problem that the browser opened no tab: a button that does. */
const UNOPENED = 'unopened'

/**
 * Return what prints orders one at a time, and how that went.
 *
 * @param {object} on
 * @param {(action: () => Promise<void>) => Promise<void>} on.turn does something after the scans before it
 * @param {(order: Order) => void} on.printed called when its document is in the print dialog, or the printer's queue has it
 * @param {(job: Job, order: Order) => void} on.queued called with the job in the queue of a printer
 */
export function usePrinting({ turn, printed, queued }) {
  const isPrinting = useSignal(false)
  const problem = useSignal('')
  const last = useSignal(/** @type {Order | null} */ (null))

  /** @param {Order} order */
  async function send(order) {
    if (!order.printer) {
      const isOpen = await print(order)
      keepOrder(order, new Date())
      last.value = order
      printed(order)
      return isOpen ? '' : UNOPENED
    }
    const job = await queue(order)
    last.value = null
    printed(order)
    queued(job, order)
    return ''
  }

  /** @param {() => Promise<void>} action */
  async function alone(action) {
    if (isPrinting.peek()) return
    isPrinting.value = true
    await turn(action)
    isPrinting.value = false
  }

  return {
    isPrinting,
    problem,
    last,
    /** Print an order, with what was scanned before; what is chosen later is not of it. @param {() => Order | null} chosen */
    print: (chosen) =>
      alone(async () => {
        const order = chosen()
        const why = order?.printer ? whyNotQueued : whyNotPrinted
        if (order) problem.value = await send(order).catch((error) => why(error, order.symbology))
      }),
    /** Print an order that is for looking at, and none of those to repeat. @param {Order} order */
    tryOut: (order) =>
      alone(async () => {
        const opened = print(order).then((isOpen) => (isOpen ? '' : UNOPENED))
        problem.value = await opened.catch((error) => whyNotPrinted(error, order.symbology))
      }),
  }
}

/**
 * @param {object} props
 * @param {number} props.count number of labels
 * @param {Sheet | null} props.sheet
 * @param {number} props.first
 * @param {boolean} props.isReady whether the labels can be printed
 * @param {string} props.action what the button does: print, or put into the queue of a printer that prints nothing now
 * @param {ReturnType<typeof usePrinting>} props.printing
 * @param {() => void} props.print
 * @param {(order: Order) => void} props.takeBack called when a person says that an order was not printed
 * @param {import('../types.js').Children} props.children the state of the printer
 */
export function PrintBar({ count, sheet, first, isReady, action, printing, print: press, takeBack, children }) {
  const button = useRef(/** @type {HTMLElement | null} */ (null))
  const { isPrinting, problem, last } = printing
  const isMany = count > LIMITS.labels
  useEffect(() => {
    // a disabled button loses the focus; after a failure Enter tries again
    if (!isPrinting.value && problem.value && document.activeElement === document.body) button.current?.focus()
  }, [isPrinting.value])
  const unprinted = () => {
    const order = last.value
    last.value = null
    if (order) takeBack(order)
    button.current?.focus()
  }
  return html`
    <div class="print-bar">
      <p class="sum" role="status">${sumOf(count, sheet, first)}</p>
      <div class="problem" role="alert">
        ${isMany ? text('labels.too-many', { most: LIMITS.labels }) : problem.value === UNOPENED ? '' : problem.value}
        ${problem.value === UNOPENED && html`<${Button} onclick=${openPrinted}>${text('labels.open')}<//>`}
      </div>
      ${children}
      ${
        sheet &&
        last.value &&
        hasMoved(first, sheet, last.value) &&
        html`<${Button} onclick=${unprinted}>${text('labels.not-printed', { position: last.value.first ?? 1 })}<//>`
      }
      <${Button} kind="main" icon="print" ref=${button} disabled=${isPrinting.value || isMany || !isReady} onclick=${press}>
        <span>${action}</span>
      <//>
    </div>`
}

/**
 * Whether the first free label is the one behind an order, and not the one with which that began.
 *
 * @param {number} first
 * @param {Sheet} sheet
 * @param {Order} order
 */
function hasMoved(first, sheet, order) {
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
