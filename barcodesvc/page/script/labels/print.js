/**
 * Prints labels. On this device the service makes the PDF, and the browser's own dialog prints it; a printer of the service
 * gets a job.
 *
 * Rule: no browser says whether its print dialog was cancelled. So the first free label moves on, and a button takes that
 * back as long as the next print would begin there.
 */

import { file, LIMITS } from '../api.js'
import { decimal, moment } from '../formats.js'
import { locale, text } from '../language.js'
import { queue, whyNotQueued } from '../printers/jobs.js'
import { follow, waitsFor } from '../printers/list.js'
import { PrinterState, watchPrinter } from '../printers/watch.js'
import { BOUNDS, settings, within } from '../settings.js'
import { Button, Field, html, Icon, useEffect, useLayoutEffect, useMemo, useRef, useSignal } from '../ui.js'
import { selection } from './items.js'
import { codesOf, corrected, countOf, keepOrder, lastOrders, whyNotPrinted } from './orders.js'
import { capacity, firstFree, giveBack, isLast, sheetNamed, takePlace } from './sheets.js'

/** @import {Children, Order, Place, Printer, Sheet} from '../types.js' */
/** @import {Doing} from './view.js' */

/** Whether the selection is printed, or an order again, which changes nothing in that, or a page to look at. @typedef {'selection' | 'again' | 'test'} Kind */
/** @typedef {ReturnType<typeof usePrints>} Prints */

/** The last document. The next one releases it, so that a day of printing costs no memory. @type {{address: string, frame: HTMLIFrameElement} | null} */
let printed = null

/** Print an order: in a hidden frame with its print dialog, or in a tab if the browser shows no PDF in frames. Returns false if it opened no tab; `openPrinted` does, called by a person's touch. @param {Order} order */
export async function print(order) {
  const limit = AbortSignal.timeout(120_000) // for thousands of labels
  const labels = await file('POST', '/api/codes/printable', { body: corrected(order), limit })
  const address = URL.createObjectURL(labels)
  const frame = Object.assign(document.createElement('iframe'), { className: 'document', src: address, tabIndex: -1 })
  frame.title = text('labels.document')
  if (printed) {
    printed.frame.remove()
    URL.revokeObjectURL(printed.address)
  }
  printed = { address, frame }
  if (!navigator.pdfViewerEnabled) return openPrinted()
  const shown = new Promise((resolve) => {
    frame.addEventListener('load', () => resolve(true), { once: true })
    setTimeout(() => resolve(false), 10_000)
  })
  document.body.append(frame)
  try {
    if (await shown) return (frame.contentWindow?.print(), true)
  } catch {
    // this browser prints no document of a frame
  }
  return openPrinted()
}

/** Open the last printed document in a tab; returns false if the browser does not let a page do so. */
export function openPrinted() {
  return printed !== null && window.open(printed.address, '_blank') !== null
}

/** Return what prints orders one at a time, each with what was scanned before it, and how that went. @param {{printers: Printer[], sheets: Sheet[]}} known @param {Doing} doing */
export function usePrints({ printers, sheets }, { turns, signal }) {
  const watch = useMemo(() => watchPrinter(printers, settings.printer.peek(), signal), [])
  const [isPrinting, problem] = [useSignal(false), useSignal(/** @type {Children} */ (''))]
  /** What the last print dialog has printed, or not. */
  const last = useSignal(/** @type {{place: Place, kind: Kind} | null} */ (null))

  /** @type {(order: Order, kind: Kind) => Promise<Children>} */
  async function send(order, kind) {
    const { sheet: name = '', start_position: first = 1 } = order.layout
    const job = order.printer ? await queue(order) : null
    const isOpen = job !== null || (await print(order))
    if (kind !== 'test') {
      const sheet = sheetNamed(sheets, name)
      const place = sheet && { sheet, first, count: countOf(order) }
      if (place) takePlace(place)
      if (kind === 'selection') selection.markPrinted(true)
      if (job) follow(watch, job, place)
      else keepOrder(order, new Date())
      last.value = place && !job ? { place, kind } : null
    }
    return !isOpen && html`<${Button} onclick=${openPrinted}>${text('labels.open')}<//>`
  }

  return {
    ...{ watch, isPrinting, problem, last },
    /** Print what is chosen then; what is chosen later is not of it. @type {(choose: () => Order | null, kind: Kind) => Promise<void>} */
    async print(choose, kind) {
      if (isPrinting.peek()) return
      isPrinting.value = true
      await turns.take(async () => {
        const order = choose()
        const why = order?.printer ? whyNotQueued : whyNotPrinted
        if (order) problem.value = await send(order, kind).catch((error) => why(error, order.code_type))
      })
      isPrinting.value = false
    },
    takeBack() {
      const { place, kind } = last.value ?? {}
      if (place) giveBack(place)
      if (kind === 'selection') selection.markPrinted(false)
      last.value = null
    },
  }
}

/** The bar with the number of labels, and what prints them. @param {{sheet: Sheet | null, isReady: boolean, prints: Prints, print: () => void}} props */
export function PrintBar({ sheet, isReady, prints, print: press }) {
  const bar = useRef(/** @type {HTMLElement | null} */ (null))
  const button = useRef(/** @type {HTMLElement | null} */ (null))
  const { isPrinting, problem, last, watch } = prints
  const { count } = selection
  const isMany = count > LIMITS.labels
  const [each, first] = sheet ? [capacity(sheet), firstFree(sheet)] : [1, 1]
  const sum = [text('labels.sum', { count })]
  if (count && each > 1) sum.push(text('labels.sheets', { count: Math.ceil((first - 1 + count) / each) }))
  const taken = last.value?.place
  const canTakeBack = taken && sheet?.sheet === taken.sheet.sheet && isLast(taken) && first !== taken.first
  useEffect(() => {
    // a disabled button loses the focus; after a failure Enter tries again
    if (!isPrinting.value && problem.value && document.activeElement === document.body) button.current?.focus()
  }, [isPrinting.value])
  useLayoutEffect(() => {
    // on a phone the preview is above the bar
    const observer = new ResizeObserver(() =>
      document.documentElement.style.setProperty('--bar', `${bar.current?.offsetHeight ?? 0}px`),
    )
    if (bar.current) observer.observe(bar.current)
    return () => observer.disconnect()
  }, [])
  const takeBack = () => (prints.takeBack(), button.current?.focus())
  return html`
    <div class="print-bar" ref=${bar}>
      <p class="sum" role="status">${sum.join(' · ')}</p>
      <div class="problem" role="alert">
        ${isMany ? text('labels.too-many', { most: LIMITS.labels }) : problem.value}
      </div>
      <${PrinterState} watch=${watch} />
      ${canTakeBack && html`<${Button} onclick=${takeBack}>${text('labels.not-printed', { position: taken.first })}<//>`}
      <${Button} kind="main" icon="print" ref=${button} disabled=${isPrinting.value || isMany || !isReady} onclick=${press}>
        <span>${text(waitsFor(watch) ? 'printer.later' : 'labels.print')}</span>
      <//>
    </div>`
}

/** What was printed on this device last, the newest first; printed again, on the first free labels of its sheet. @param {{sheets: Sheet[], prints: Prints}} props */
export function LastOrders({ sheets, prints }) {
  const orders = lastOrders()
  const onFree = (/** @type {Order} */ { layout, ...order }) => {
    const sheet = sheetNamed(sheets, layout.sheet ?? '')
    return { ...order, layout: { ...layout, ...(sheet && { start_position: firstFree(sheet) }) } }
  }
  if (!orders.length) return null
  return html`
    <section class="card last-prints">
      <h2>${text('prints.again')}</h2>
      <ul>
        ${orders.map(
          ({ order, at }) => html`
            <li key=${at} class="list-row">
              <${Icon} name="print" />
              <div>
                <div><bdi>${codesOf(order)}</bdi> · ${text('labels.sum', { count: countOf(order) })}</div>
                <div class="second">${[moment(at), order.layout.sheet].filter(Boolean).join(' · ')}</div>
              </div>
              <${Button} onclick=${() => prints.print(() => onFree(order), 'again')}>${text('prints.again')}<//>
            </li>`,
        )}
      </ul>
    </section>`
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
  useEffect(() => void (isValid && number !== null && (settings[name].value = number)), [number])
  return html`
    <${Field} label=${label} value=${typed} autocomplete="off" maxlength="10" inputmode=${least < 0 ? 'text' : 'decimal'}
      problem=${isValid ? '' : text('labels.bounds', { least, greatest })} />`
}
