/**
 * The workbench of labels: products and copies, how their labels look, on which sheet, and the next label as it will be
 * printed. Scans, searches and addresses fill it: `#labels?products=1,2,3` names products by their numbers, so that other
 * views can print what they show.
 */

import { ask, LIMITS, Refusal } from '../api.js'
import { CameraPanel, openCamera } from '../camera/panel.js'
import { InTurn } from '../in_turn.js'
import { text } from '../language.js'
import { announce, expire } from '../in_front.js'
import { JobList } from '../printers/list.js'
import { idsOf } from '../products/query.js'
import { ProductSearch } from '../products/search.js'
import { resolveScan } from '../resolve_scan.js'
import { settings } from '../settings.js'
import { bad, good } from '../sounds.js'
import { Button, errorText, Failure, Field, html, Loading, Select } from '../ui.js'
import { useRequest, useRef, useSignal, viewOf } from '../ui.js'
import { DesignCard, isChanged, lastDesign } from './design.js'
import { CopiesAs, LabelItems, selection } from './items.js'
import { NewCodes } from './new_codes.js'
import { layoutOf, savedOf } from './layouts.js'
import { alone, BEST, orderFor } from './orders.js'
import { LabelPreview } from './preview.js'
import { Adjustment, LastOrders, PrintBar, usePrints } from './print.js'
import * as sheets from './sheets.js'

/** @import {Camera} from '../camera/panel.js' */
/** @import {Route, View} from '../router.js' */
/** @import {Design, Order, Printer, SavedLayout, Sheet, Signal} from '../types.js' */
/** @import {Prints} from './print.js' */

/** What products come from. `turns` are scans and prints: a print has what was scanned before it, and nothing else. @typedef {{turns: InTurn, add: (product: unknown) => void, scan: (code: string, type?: string) => void, camera: Camera, signal: AbortSignal}} Doing */

/** A design for codes that no product has yet: without its texts. */
const CODES_ALONE = { name: ':code-only', lines: null }

/** @type {(route: Route) => View} */
export function open({ query }) {
  const ended = new AbortController()
  const { signal } = ended
  const turns = new InTurn()
  const add = (/** @type {any} */ product) => void turns.take(async () => choose(await product))
  const scan = (/** @type {string} */ code, type = '') => add(findScanned(code, type, signal))
  const camera = openCamera(scan)
  return viewOf(html`<${Labels} named=${query.get('products')} doing=${{ turns, add, scan, camera, signal }} />`, {
    title: text('view.labels'),
    scan,
    close: () => (camera.close(), ended.abort()),
  })
}

/** @param {{named: string | null, doing: Doing}} props */
function Labels({ named, doing }) {
  const { data, error, again } = useRequest(async (signal) => {
    const names = ['codes/sheets', 'codes/formats', 'codes/layouts', 'printers']
    const lists = names.map((name) => ask('GET', `/api/${name}`, { signal }))
    const [known, formats, saved, printers] = await Promise.all([...lists, chooseNamed(named, signal)])
    return { known, formats, saved, printers }
  }, [])
  return html`
    <div class="view labels" aria-busy=${data || error ? undefined : 'true'}>
      ${data ? html`<${Workbench} ...${data} doing=${doing} />` : html`<h1>${text('view.labels')}</h1>`}
      ${!data && (error ? html`<${Failure} error=${error} again=${again} />` : html`<${Loading} />`)}
    </div>`
}

/** Choose the products that the address names. It names none after that: loading the page again keeps the copies. @type {(named: string | null, signal: AbortSignal) => Promise<void>} */
async function chooseNamed(named, signal) {
  const ids = idsOf(named)
  if (!ids.length) return
  const { hash } = location
  const query = { ids: ids.join(), limit: ids.length }
  const products = await ask('GET', '/api/products', { query, signal })
  selection.choose(products)
  for (const { retired, description } of products)
    if (retired) announce(text('product.retired.warns', { product: description }), 'wait')
  // a person may have gone back meanwhile
  if (location.hash === hash) history.replaceState(null, '', '#labels')
  const count = ids.length - products.length
  if (count) announce(text('labels.gone', { count }), 'bad')
}

/** Add a product, if there is one. @param {any} product */
function choose(product) {
  if (!product) return
  if (selection.isPrinted) announce(text('labels.begun'))
  if (product.retired) announce(text('product.retired.warns', { product: product.description }), 'wait')
  selection.add(product)
}

/** Return the product of a scan, of whose symbology the camera may have read the type; without one, say why and return null. @type {(code: string, type: string, signal: AbortSignal) => Promise<unknown>} */
async function findScanned(code, type, signal) {
  try {
    const product = await resolveScan(code, signal, type)
    good()
    expire()
    return product
  } catch (error) {
    if (signal.aborted) return null
    bad()
    const isUnknown = error instanceof Refusal && error.details.reason === 'no_product_matches'
    announce(isUnknown ? text('labels.unknown', { code }) : errorText(error), 'bad')
    return null
  }
}

/** `known`, `formats`, `saved` and `printers` are the sheets, symbologies, layouts and printers of the service. @param {{known: Sheet[], formats: {format: string}[], saved: SavedLayout[], printers: Printer[], doing: Doing}} props */
function Workbench({ known, formats, saved, printers, doing }) {
  const design = useSignal(lastDesign(saved))
  const refused = useSignal('')
  const prints = usePrints({ printers, sheets: known }, doing)
  const printer = prints.watch.printer.value
  /** Return the sheet that is printed on now, and the order of the selection. @returns {[Sheet | null, Order | null]} */
  const current = () => {
    const on = sheetFor(known, design.value, printer)
    return [on, on && orderOf(design.value, on, printer)]
  }
  const [sheet, order] = current()
  const isSheet = sheet !== null && sheets.capacity(sheet) > 1
  const preview = sheet && order && selection.count > 0 ? alone(order, sheet) : null
  const printNew = (/** @type {string[]} */ codes) =>
    prints.print(() => sheet && orderOf({ ...design.value, ...CODES_ALONE }, sheet, printer, codes), 'again')
  const isReady = preview !== null && refused.value !== JSON.stringify(preview)
  return html`
    <div class="row apart">
      <h1>${text('view.labels')}</h1>
      ${
        sheet &&
        html`<a class="button text" href=${kioskOf(design.value, sheet, printer)} target="_blank" rel="noopener">${text('labels.kiosk')}</a>`
      }
    </div>
    <div class="bench">
      <div class="materials">
        <${DesignCard} design=${design} formats=${formats} sheet=${sheet && sheet.sheet} />
        <${Products} ...${doing} />
        ${sheet && html`<${NewCodes} print=${printNew} />`}
        <${Printing} ...${{ printers, prints, order }} sheet=${isSheet ? sheet : null} />
        ${printer ? html`<${JobList} watch=${prints.watch} sheets=${known} />` : html`<${LastOrders} prints=${prints} sheets=${known} />`}
      </div>
      <div class="paper-side">
        <section class="card picture">
          <div class="row apart">
            <h2>${text('labels.preview')}</h2>
            ${sheet && sheet !== sheets.UNNAMED && html`<span class="soft">${sheets.labelSize(sheet, 1)}</span>`}
          </div>
          ${!preview && html`<p class="soft">${text('labels.none')}</p>`}
          <${LabelPreview} order=${preview}
            refused=${(/** @type {Order} */ one) => (refused.value = JSON.stringify(one))} />
        </section>
        <section class="card place">
          ${printer ? sheet && html`<p>${text('printer.holds', { sheet: sheets.sheetName(sheet) })}</p>` : html`<${SheetChoice} known=${known} design=${design} />`}
          ${isSheet && html`<${SheetDrawing} sheet=${sheet} />`}
        </section>
      </div>
    </div>
    <${PrintBar} ...${{ sheet, isReady, prints }} print=${() => prints.print(() => current()[1], 'selection')} />`
}

/** Where labels are printed, and on this device how exactly. @param {{printers: Printer[], prints: Prints, order: Order | null, sheet: Sheet | null}} props `sheet` is null for a roll */
function Printing({ printers, prints, order, sheet }) {
  const name = prints.watch.printer.value?.name ?? ''
  const choosePrinter = (/** @type {string} */ chosen) => {
    settings.printer.value = chosen
    prints.watch.choose(chosen)
  }
  const test = order && sheet && !name && (() => prints.print(() => testPage(order, sheet), 'test'))
  return html`
    <section class="card">
      ${
        printers.length > 0 &&
        html`
        <${Select} label=${text('printer')} value=${name} changed=${choosePrinter}
          options=${[['', text('printer.here')], ...printers.map((each) => [each.name, each.name])]} />`
      }
      ${!name && html`<${Adjustment} />`}
      ${test && html`<div><${Button} onclick=${test}>${text('labels.test-page')}<//></div>`}
    </section>`
}

/** Return what is printed on: what a printer holds, or what is chosen; null if the size of a roll is wrong. @type {(known: Sheet[], design: Design, printer: Printer | null) => Sheet | null} */
function sheetFor(known, design, printer) {
  const name = printer ? printer.label : design.sheet
  return name === null ? sheets.UNNAMED : sheets.sheetNamed(known, name)
}

/** Return the order of the selection, or of one label for each of some codes; a printer has its own sheet. @type {(design: Design, sheet: Sheet, printer: Printer | null, codes?: string[] | null) => Order} */
function orderOf(design, sheet, printer, codes = null) {
  const chosen = selection.items.map(({ product, copies }) => ({ code: product.product_code, copies }))
  const products = codes?.map((code) => ({ code, copies: 1 })) ?? chosen
  const layout = layoutOf(design, printer ? '' : sheet.sheet, selection.attributes)
  const place = sheet.sheet && { start_position: sheets.firstFree(sheet) }
  const order = { products, code_type: settings.symbology.value, layout: { ...layout, ...place } }
  return printer ? orderFor(order, printer) : order
}

/** Return an order of a whole sheet with lines around its labels. @type {(order: Order, sheet: Sheet) => Order} */
function testPage({ products: [product], layout, ...order }, sheet) {
  const filled = [{ code: product?.code ?? 'TEST', copies: sheets.capacity(sheet) }]
  const look = product ? layout : { sheet: sheet.sheet }
  return { ...order, products: filled, layout: { ...look, start_position: 1, outlines: true } }
}

/** Return the address of the kiosk that prints such labels; it has what is not saved. @type {(design: Design, sheet: Sheet, printer: Printer | null) => string} */
function kioskOf(design, { sheet }, printer) {
  const layout = { ...layoutOf(design, printer ? '' : sheet, selection.attributes), sheet: undefined }
  const unsaved = { design: JSON.stringify(layout), ...(!printer && sheet && { sheet }) }
  const symbology = settings.symbology.value
  const names = {
    ...(savedOf(design) && !isChanged(design) ? { layout: design.name } : unsaved),
    ...(printer && { printer: printer.name }),
    ...(symbology !== BEST && { symbology }),
  }
  return `#kiosk?${new URLSearchParams(names)}`
}

/** The products to print, and what finds them. @param {Doing} props */
function Products({ add, scan, camera }) {
  const field = useRef(/** @type {HTMLInputElement | null} */ (null))
  const clear = () => (selection.clear(), field.current?.focus())
  return html`
    <section class="card chosen">
      <${ProductSearch} field=${field} choose=${add} scanned=${scan} />
      <${CameraPanel} camera=${camera} />
      <${LabelItems} />
      ${
        selection.items.length > 0 &&
        html`
        <${CopiesAs} />
        <div><${Button} kind="text" onclick=${clear}>${text('labels.clear')}<//></div>`
      }
    </section>`
}

/** The choice of a sheet, of a roll by the size of its labels, or of the arrangement of a saved layout that names no sheet. @param {{known: Sheet[], design: Signal<Design>}} props */
function SheetChoice({ known, design }) {
  const { sheet: name } = design.value
  const saved = savedOf(design.value)
  const value = name === null ? '' : (known.find((each) => each === sheets.sheetNamed(known, name))?.sheet ?? 'roll')
  const set = (/** @type {string | null} */ chosen) => {
    design.value = { ...design.value, sheet: chosen }
    const sheet = chosen === null ? null : sheets.sheetNamed(known, chosen)
    if (sheet && !saved) settings.sheet.value = sheet.sheet
  }
  const papers = sheets.sheetsByPaper(known)
  const named = (/** @type {Sheet} */ sheet) => [sheet.sheet, `${sheet.sheet} · ${sheets.labelSize(sheet)}`]
  return html`
    <${Select} label=${text('labels.sheet')} value=${value}
      options=${saved && !saved.sheet ? [['', text('labels.sheet.of-layout')]] : []}
      groups=${[...papers.map(([paper, group]) => [paper, group.map(named)]), [text('labels.roll'), [['roll', text('labels.roll.any')]]]]}
      changed=${(/** @type {string} */ chosen) => set(chosen === 'roll' ? '50x30mm' : chosen || null)} />
    ${
      value === 'roll' &&
      html`
      <${Field} label=${text('labels.roll.size')} value=${name} maxlength="20" autocomplete="off"
        problem=${sheets.roll(name ?? '') ? '' : text('labels.roll.wrong')}
        oninput=${(/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) => set(currentTarget.value)} />`
    }`
}

/** A sheet to scale: used labels look different from those to print. A tap or the arrow keys choose the first label. @param {{sheet: Sheet}} props */
function SheetDrawing({ sheet }) {
  const [width, height] = LIMITS.pages[sheet.page_size] ?? [210, 297]
  const [first, last] = [sheets.firstFree(sheet), sheets.capacity(sheet)]
  const printed = first + selection.count
  // 24 CSS pixels for a finger (WCAG 2.2, 2.5.8)
  const scale = 24 / Math.min(sheet.label_width, sheet.label_height)
  const press = (/** @type {KeyboardEvent} */ event) => {
    const next = sheets.stepped(sheet, first, event.key)
    if (!next) return
    event.preventDefault()
    sheets.keepFirstFree(sheet, next)
  }
  return html`
    <div class="paper-holder">
      <svg class="sheet" role="slider" tabindex="0" aria-label=${text('labels.first')} aria-valuemin="1"
        aria-valuemax=${last} aria-valuenow=${first} aria-valuetext=${text('labels.first.of', { first, last })}
        viewBox=${`-1 -1 ${width + 2} ${height + 2}`} width=${Math.round((width + 2) * scale)} onkeydown=${press}>
        <rect class="paper" x="0" y="0" width=${width} height=${height} />
        ${sheets.labelsOf(sheet).map(
          ({ position: at, ...place }) => html`
            <rect key=${at} class=${at < first ? 'used' : at < printed ? 'printed' : 'free'} data-position=${at} rx="1"
              ...${place} onclick=${() => sheets.keepFirstFree(sheet, at)} />`,
        )}
      </svg>
    </div>
    <p class="soft">${text('labels.first')}<br />${text('labels.first.of', { first, last })}</p>`
}
