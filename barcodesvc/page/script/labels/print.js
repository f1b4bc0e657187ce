/**
 * Prints labels. On this device the service makes the PDF, and the browser's own dialog prints it; a printer of the service
 * gets a job.
 *
 * Rule: one document is kept at a time. It is released when the next one comes, so that a day of printing costs no memory.
 * One that does not come, or that its frame does not show, delays the next order only for a while. No browser says whether
 * its print dialog was cancelled. So the first free label moves on, and a button takes that back as long as the next print
 * would begin there.
 */

import { file, LIMITS } from '../api.js'
import { element } from '../dom.js'
import { locale, text } from '../language.js'
import { PrinterState, watchPrinter } from '../printers/choice.js'
import { queue, whyNotQueued } from '../printers/jobs.js'
import { follow, waitsFor } from '../printers/list.js'
import { BOUNDS, change, settings, within } from '../settings.js'
import { decimal } from '../formats.js'
import { Button, Field, html, useEffect, useMemo, useRef, useSignal } from '../ui.js'
import { selection } from './items.js'
import { countOf, keepOrder, printRequest, whyNotPrinted } from './orders.js'
import { capacity, firstFree, keepFirstFree, nextFree, sheetNamed, sheetsFor } from './sheets.js'

/** Milliseconds that a document of thousands of labels may take to create, and its frame to show it. */
const MAKING = 120_000
const SHOWING = 10_000

/** What shows instead of a problem that the browser opened no tab: a button that does. */
const UNOPENED = 'unopened'

/** @typedef {import('../types.js').Order} Order */
/** @typedef {import('../types.js').Sheet} Sheet */
/** @typedef {ReturnType<typeof usePrints>} Prints */

/** The previous order: a document on its way to its dialog is not released. @type {Promise<unknown>} */
let before = Promise.resolve()

/** @type {{address: string, frame: HTMLIFrameElement | null} | null} */
let printed = null

/**
 * Print an order: in a hidden frame with its print dialog, or in a tab if the browser shows no PDF in frames.
 *
 * @param {Order} order
 * @returns {Promise<boolean>} false if the browser opened no tab; `openPrinted` does, called by a person's touch
 * @throws {import('../api.js').Refusal | import('../api.js').Unreachable}
 */
export function print(order) {
  const mine = before.then(() => showDocument(order))
  before = mine.catch(() => undefined)
  return mine
}

/** @param {Order} order */
async function showDocument(order) {
  const limit = AbortSignal.timeout(MAKING)
  const labels = await file('POST', '/api/codes/printable', { body: printRequest(order), limit })
  printed?.frame?.remove()
  if (printed) URL.revokeObjectURL(printed.address)
  printed = { address: URL.createObjectURL(labels), frame: null }
  if (!navigator.pdfViewerEnabled) return openPrinted()
  const frame = element('iframe', { class: 'document', title: text('labels.document'), tabindex: '-1' })
  const shown = new Promise((resolve) => {
    frame.addEventListener('load', () => resolve(true), { once: true })
    setTimeout(() => resolve(false), SHOWING)
  })
  frame.src = printed.address
  printed.frame = frame
  document.body.append(frame)
  if (!(await shown)) return openPrinted()
  try {
    frame.contentWindow?.print()
    return true
  } catch {
    return openPrinted()
  }
}

/** Open the last printed document in a tab; returns false if the browser does not let a page do so. */
export function openPrinted() {
  return printed !== null && window.open(printed.address, '_blank') !== null
}

/**
 * Return what prints orders one at a time, each with what was scanned before it, and how that went.
 *
 * @param {{printers: import('../types.js').Printer[], sheets: Sheet[]}} known
 * @param {import('./view.js').Doing} doing
 */
export function usePrints({ printers, sheets }, { turns, signal }) {
  const watch = useMemo(() => watchPrinter(printers, settings.printer.peek(), signal), [])
  const [isPrinting, problem] = [useSignal(false), useSignal('')]
  /** The last order in a print dialog; and that of the selection: to print another one again changes nothing in it. */
  const last = useSignal(/** @type {Order | null} */ (null))
  const ofSelection = useRef(/** @type {Order | null} */ (null))

  /** @type {(order: Order, isPrinted: boolean) => void} */
  function mark(order, isPrinted) {
    const [sheet, first] = [sheetNamed(sheets, order.sheet), order.first ?? 1]
    if (sheet) keepFirstFree(sheet, isPrinted ? nextFree(sheet, first, countOf(order)) : first)
    if (order === ofSelection.current) selection.markPrinted(isPrinted)
  }

  /** @param {Order} order */
  async function send(order) {
    const job = order.printer ? await queue(order) : null
    const isOpen = job !== null || (await print(order))
    if (!job) keepOrder(order, new Date())
    last.value = job ? null : order
    mark(order, true)
    if (job) follow(watch, job, order)
    return isOpen ? '' : UNOPENED
  }

  /** @type {(choose: () => Order | null, act: (order: Order) => Promise<string>) => Promise<void>} */
  async function inTurn(choose, act) {
    if (isPrinting.peek()) return
    isPrinting.value = true
    await turns.take(async () => {
      const order = choose()
      const why = order?.printer ? whyNotQueued : whyNotPrinted
      if (order) problem.value = await act(order).catch((error) => why(error, order.symbology))
    })
    isPrinting.value = false
  }

  return {
    ...{ watch, isPrinting, problem, last },
    /** Print what is chosen then; what is chosen later is not of it. @param {() => Order | null} chosen */
    print: (chosen) => void inTurn(() => (ofSelection.current = chosen()), send),
    /** Print an order again, on the first free labels of its sheet. @param {Order} order */
    again(order) {
      const sheet = sheetNamed(sheets, order.sheet)
      void inTurn(() => ({ ...order, first: sheet ? firstFree(sheet) : 1 }), send)
    },
    /** Print an order that is for looking at, and none of those to repeat. @type {(order: Order) => void} */
    tryOut: (order) =>
      void inTurn(
        () => order,
        async () => ((await print(order)) ? '' : UNOPENED),
      ),
    takeBack() {
      if (last.value) mark(last.value, false)
      last.value = null
    },
  }
}

/**
 * The bar with the number of labels, and what prints them.
 *
 * @param {{sheet: Sheet | null, isReady: boolean, prints: Prints, print: () => void}} props
 */
export function PrintBar({ sheet, isReady, prints, print: press }) {
  const button = useRef(/** @type {HTMLElement | null} */ (null))
  const { isPrinting, problem, last, watch } = prints
  const isMany = selection.count > LIMITS.labels
  const first = sheet ? firstFree(sheet) : 1
  useEffect(() => {
    // a disabled button loses the focus; after a failure Enter tries again
    if (!isPrinting.value && problem.value && document.activeElement === document.body) button.current?.focus()
  }, [isPrinting.value])
  const takeBack = () => (prints.takeBack(), button.current?.focus())
  return html`
    <div class="print-bar">
      <p class="sum" role="status">${sumOf(selection.count, sheet, first)}</p>
      <div class="problem" role="alert">
        ${isMany ? text('labels.too-many', { most: LIMITS.labels }) : problem.value !== UNOPENED && problem.value}
        ${problem.value === UNOPENED && html`<${Button} onclick=${openPrinted}>${text('labels.open')}<//>`}
      </div>
      <${PrinterState} watch=${watch} />
      ${
        last.value &&
        hasMoved(sheet, first, last.value) &&
        html`<${Button} onclick=${takeBack}>${text('labels.not-printed', { position: last.value.first ?? 1 })}<//>`
      }
      <${Button} kind="main" icon="print" ref=${button} disabled=${isPrinting.value || isMany || !isReady} onclick=${press}>
        <span>${text(waitsFor(watch) ? 'printer.later' : 'labels.print')}</span>
      <//>
    </div>`
}

/**
 * Whether the first free label is the one behind an order, and not the one with which that began.
 *
 * @type {(sheet: Sheet | null, first: number, order: Order) => boolean}
 */
function hasMoved(sheet, first, order) {
  const begin = order.first ?? 1
  return sheet?.sheet === order.sheet && first !== begin && first === nextFree(sheet, begin, countOf(order))
}

/** Return how many labels and sheets are printed. @type {(count: number, sheet: Sheet | null, first: number) => string} */
function sumOf(count, sheet, first) {
  const sum = text('labels.sum', { count })
  if (!sheet || !count || capacity(sheet) === 1) return sum
  return `${sum} · ${text('labels.sheets', { count: sheetsFor(sheet, first, count) })}`
}

/** What corrects where the printer of this browser prints a sheet. It is kept on this device. */
export function Adjustment() {
  return html`
    <details>
      <summary>${text('labels.adjust')}</summary>
      <p class="soft">${text('labels.adjust.why')}</p>
      <div class="side-by-side">
        <${Correction} name="offsetX" label=${text('labels.offset-x')} />
        <${Correction} name="offsetY" label=${text('labels.offset-y')} />
        <${Correction} name="scale" label=${text('labels.scale')} />
      </div>
    </details>`
}

/** A number within its bounds; an invalid one is not stored and says so. @param {{name: keyof typeof BOUNDS, label: string}} props */
function Correction({ name, label }) {
  const [least = 0, greatest = 0] = BOUNDS[name]
  const format = new Intl.NumberFormat(locale(), { useGrouping: false, maximumFractionDigits: 3 })
  const typed = useSignal(format.format(settings[name].peek()))
  const number = decimal(typed.value)
  const isValid = within(name, number)
  useEffect(() => void (isValid && number !== null && change({ [name]: number })), [number])
  return html`
    <${Field} label=${label} value=${typed} autocomplete="off" maxlength="10" inputmode=${least < 0 ? 'text' : 'decimal'}
      problem=${isValid ? '' : text('labels.bounds', { least, greatest })} />`
}
