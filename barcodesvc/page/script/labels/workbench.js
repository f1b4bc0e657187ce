/** The workbench: products and copies, how their labels look, on which sheet, and the next label as it will be printed. */

import { cameraPanel } from '../camera/panel.js'
import { text } from '../language.js'
import { PrinterChoice, PrinterState, watchPrinter } from '../printers/choice.js'
import { orderFor } from '../printers/jobs.js'
import { follow, LastPrints, waitsFor } from '../printers/list.js'
import { ProductSearch } from '../products/search.js'
import { settings } from '../settings.js'
import { Button, html, Select, useLayoutEffect, useRef, useSignal } from '../ui.js'
import { Adjustment } from './adjustment.js'
import { useBench } from './bench.js'
import { DesignChoice, SavedLayouts, SavingLayouts } from './design.js'
import { firstFree, keepFirstFree, nextFree } from './free_labels.js'
import { LabelLines } from './lines.js'
import { lastOrders } from './last_orders.js'
import { countOf } from './order_words.js'
import { LabelPreview } from './preview.js'
import { PrintBar, usePrinting } from './print_bar.js'
import { alone } from './printing.js'
import { LabelItems } from './products.js'
import { selection } from './selection.js'
import { SheetChoice, SheetDrawing } from './sheet.js'
import { capacity, labelSize, sheetName, sheetNamed, UNNAMED } from './sheets.js'
import { BEST } from './symbol_picture.js'

/** @typedef {import('../types.js').Order} Order */
/** @typedef {import('../types.js').Sheet} Sheet */
/** @typedef {import('./bench.js').Bench} Bench */
/** @typedef {import('../types.js').Printer} Printer */

/** What a test page has if no product is chosen. */
const TEST = 'TEST'

/** One label, whose size is shown. */
const ONE = { labels_per_row: 1, labels_per_column: 1 }

/**
 * @param {object} props
 * @param {{sheets: Sheet[], formats: {format: string}[], saved: import('../types.js').SavedLayout[], printers: Printer[]}} props.known what the service has
 * @param {import('./view.js').Doing} props.doing
 */
export function Workbench({ known: { sheets, formats, saved, printers }, doing }) {
  const bench = useBench(sheets, saved)
  const refused = useSignal('')
  const { watch, orders, again, printing, print, takeBack, freed } = usePrints({ printers, sheets }, doing)

  const { count } = selection
  const printer = watch.printer.value
  const sheet = printer ? sheetNamed(sheets, printer.label) : bench.sheet
  const first = sheet ? firstFree(sheet) : 1
  const order = sheet && orderOf(bench, sheet, printer)
  const preview = order && sheet && count > 0 ? alone(order, sheet) : null
  const isReady = preview !== null && refused.value !== JSON.stringify(preview)
  const begin = (/** @type {number} */ position) => {
    if (sheet) keepFirstFree(sheet, position)
    freed()
  }
  const tryOut = () => order && sheet && void printing.tryOut(testPage(order, sheet))
  const printed = () => sheet && orderOf(bench, sheet, printer)
  return html`
    <div class="row apart">
      <h1>${text('view.labels')}</h1>
      <a class="button text" href=${kioskOf(bench, sheet, printer)} target="_blank" rel="noopener">${text('labels.kiosk')}</a>
    </div>
    <div class="bench">
      <div class="materials">
        <${Looks} bench=${bench} formats=${formats} />
        <${Products} ...${doing} />
        <section class="card">
          <${PrinterChoice} watch=${watch} />
          ${!printer && html`<${Adjustment} />`}
          ${
            !printer &&
            sheet &&
            capacity(sheet) > 1 &&
            html`<div><${Button} onclick=${tryOut}>${text('labels.test-page')}<//></div>`
          }
        </section>
        <${LastPrints} ...${{ watch, orders, again, sheets, freed }} />
      </div>
      <div class="paper-side">
        <section class="card picture">
          <div class="row apart">
            <h2>${text('labels.preview')}</h2>
            ${sheet && sheet !== UNNAMED && html`<span class="soft">${labelSize({ ...sheet, ...ONE })}</span>`}
          </div>
          ${!preview && html`<p class="soft">${text('labels.none')}</p>`}
          <${LabelPreview} order=${preview}
            refused=${(/** @type {Order} */ one) => (refused.value = JSON.stringify(one))} />
        </section>
        <${Place} ...${{ sheets, bench, printer, sheet, first, count, begin }} />
      </div>
    </div>
    <${PrintBar} ...${{ count, sheet, first, isReady, printing }} action=${text(waitsFor(watch) ? 'printer.later' : 'labels.print')}
      print=${() => print(printed)} takeBack=${takeBack}>
      <${PrinterState} watch=${watch} />
    <//>`
}

/**
 * Return what prints, and where: on this device or a printer of the service. Then the first free label moves on.
 *
 * @param {{printers: Printer[], sheets: Sheet[]}} known
 * @param {import('./view.js').Doing} doing
 */
function usePrints({ printers, sheets }, { turns, signal }) {
  const orders = useSignal(lastOrders())
  const watch = useOnce(() => watchPrinter(printers, settings().printer, signal))
  /** Have the view read which labels are free, and what was printed last. */
  const freed = () => void (orders.value = lastOrders())
  /** The last order of the selection: to print another one again changes nothing in it. */
  const ofSelection = useRef(/** @type {Order | null} */ (null))
  /** @type {(name: string, positionOn: (on: Sheet) => number) => void} */
  const move = (name, positionOn) => {
    const on = sheetNamed(sheets, name)
    if (on) keepFirstFree(on, positionOn(on))
    freed()
  }
  const printed = (/** @type {Order} */ order) => {
    move(order.sheet, (on) => nextFree(on, order.first ?? 1, countOf(order)))
    if (order === ofSelection.current) selection.markPrinted(true)
  }
  const takeBack = (/** @type {Order} */ order) => {
    move(order.sheet, () => order.first ?? 1)
    if (order === ofSelection.current) selection.markPrinted(false)
  }
  const again = (/** @type {Order} */ order) => void printing.print(() => onFreeLabels(order, sheets))
  const queued = (/** @type {import('../types.js').Job} */ job, /** @type {Order} */ order) => follow(watch, job, order)
  const printing = usePrinting({ turn: (action) => turns.take(action), printed, queued })
  const print = (/** @type {() => Order | null} */ order) => void printing.print(() => (ofSelection.current = order()))
  return { watch, orders: orders.value, again, printing, print, takeBack, freed }
}

/**
 * Return the order of the selection.
 *
 * @param {Bench} bench
 * @param {Sheet} sheet
 * @param {Printer | null} printer which has its own sheet
 * @returns {Order}
 */
function orderOf({ symbology, layoutOn }, sheet, printer) {
  const products = selection.items.map(({ product, copies }) => ({ code: product.product_code, copies }))
  const layout = layoutOn(printer ? null : sheet, selection.attributes)
  const wanted = { products, symbology, sheet: sheet.sheet, first: firstFree(sheet), layout }
  return printer ? orderFor(wanted, printer) : wanted
}

/** How the labels look. @param {{bench: Bench, formats: {format: string}[]}} props */
function Looks({ bench, formats }) {
  const { attributes } = selection
  return html`
    <section class="card looks" aria-label=${text('labels.design')}>
      <${DesignChoice} chosen=${bench.chosen} choose=${bench.choose} />
      <${SavedLayouts} saved=${bench.saved} chosen=${bench.chosen} choose=${bench.choose} />
      <details>
        <summary>${text('labels.change')}</summary>
        <div class="stack">
          <${LabelLines} lines=${bench.linesFor(attributes)} attributes=${attributes} change=${bench.setLines} />
          <${Select} label=${text('labels.symbology')} value=${bench.symbology} changed=${bench.setSymbology}
            options=${[[BEST, text('labels.symbology.best')], ...formats.map(({ format }) => [format, format])]} />
          <${SavingLayouts} saved=${bench.saved} chosen=${bench.chosen} changed=${bench.setSaved}
            wanted=${bench.sheet && bench.layoutOn(bench.sheet, attributes)} />
        </div>
      </details>
    </section>`
}

/**
 * What is printed on: a sheet with its first free label, a roll, or what a printer of the service holds.
 *
 * @param {{sheets: Sheet[], bench: Bench, printer: Printer | null, sheet: Sheet | null, first: number, count: number, begin: (position: number) => void}} props
 */
function Place({ sheets, bench, printer, sheet, first, count, begin }) {
  const choice = html`
    <${SheetChoice} sheets=${sheets} name=${bench.sheetName} isArranged=${bench.isArranged} choose=${bench.chooseSheet} />`
  return html`
    <section class="card place">
      ${printer ? sheet && html`<p>${text('printer.holds', { sheet: sheetName(sheet) })}</p>` : choice}
      ${sheet && capacity(sheet) > 1 && html`<${SheetDrawing} ...${{ sheet, first, count }} choose=${begin} />`}
    </section>`
}

/** The products to print, and what finds them. @param {import('./view.js').Doing} props */
function Products({ add, scan, signal }) {
  const [typed, field] = [useSignal(''), useRef(/** @type {HTMLInputElement | null} */ (null))]
  const camera = useOnce(() => cameraPanel(scan, signal).node)
  const clear = () => {
    selection.clear()
    field.current?.focus()
  }
  return html`
    <section class="card chosen">
      <${ProductSearch} typed=${typed} field=${field} choose=${add} scanned=${scan} />
      <${Placed} node=${camera} />
      <${LabelItems} selection=${selection} />
      ${selection.items.length > 0 && html`<div><${Button} class="text clear" onclick=${clear}>${text('labels.clear')}<//></div>`}
    </section>`
}

/** An element that another part of the page has made. @param {{node: Node}} props */
function Placed({ node }) {
  const slot = useRef(/** @type {HTMLElement | null} */ (null))
  useLayoutEffect(() => slot.current?.replaceChildren(node), [node])
  return html`<div class="slot" ref=${slot}></div>`
}

/**
 * Return what is made when a component is drawn for the first time.
 *
 * @template Made
 * @param {() => Made} make
 * @returns {Made}
 */
function useOnce(make) {
  const made = useRef(/** @type {Made | null} */ (null))
  return (made.current ??= make())
}

/** Return an order that begins at the first free label of its sheet. @type {(order: Order, sheets: Sheet[]) => Order} */
function onFreeLabels(order, sheets) {
  const sheet = sheetNamed(sheets, order.sheet)
  return { ...order, first: sheet ? firstFree(sheet) : 1 }
}

/** Return an order of a whole sheet with lines around its labels. @type {(order: Order, sheet: Sheet) => Order} */
function testPage({ products: [product], layout, ...order }, sheet) {
  const filled = [{ code: product?.code ?? TEST, copies: capacity(sheet) }]
  return { ...order, products: filled, first: 1, layout: { ...(product && layout), outlines: true } }
}

/**
 * Return the address of the kiosk that prints such labels.
 *
 * @param {{chosen: string, isSaved: boolean, symbology: string}} bench
 * @param {Sheet | null} sheet
 * @param {{name: string} | null} printer which has its own sheet
 */
function kioskOf({ chosen, isSaved, symbology }, sheet, printer) {
  const names = {
    ...(isSaved ? { layout: chosen } : !printer && sheet && { sheet: sheet.sheet }),
    ...(printer && { printer: printer.name }),
    ...(symbology !== BEST && { symbology }),
  }
  return `#kiosk?${new URLSearchParams(names)}`
}
