/**
 * The labels: products and copies, their layout, each symbol and the labels as they will be printed, the PDF.
 *
 * `#labels?products=1,2,3` names products by their numbers, so that other views can print what they show.
 */

import { ask, Refusal } from '../api.js'
import { element, fill } from '../dom.js'
import { firstFree, keepFirstFree, nextFree } from './free_labels.js'
import { InTurn } from '../in_turn.js'
import { selection } from './selection.js'
import { text } from '../language.js'
import { announce, expire } from '../notices.js'
import { countOf } from './order_words.js'
import { cameraPanel } from '../camera/panel.js'
import { errorText, failure } from '../failure.js'
import { labelDesign } from './design.js'
import { labelItems } from './items.js'
import { whileLoading } from '../loading.js'
import { PrintBar } from './print_bar.js'
import { PrinterState, watchPrinter } from '../printers/choice.js'
import { follow, LastPrints, waitsFor } from '../printers/list.js'
import { productSearch } from '../products/search.js'
import { symbologyChoice } from './symbology_choice.js'
import { idsOf, productsWithIds } from '../products/products_by_id.js'
import { resolveScan } from '../resolve_scan.js'
import { change, settings } from '../settings.js'
import { sheetNamed } from './sheets.js'
import { lastOrders } from './last_orders.js'
import { computed, draw, html, signal as valueOf } from '../ui.js'
import { bad, good } from '../sounds.js'

/** @typedef {import('./printing.js').Order} Order */
/** @typedef {{node: HTMLElement, scan: (code: string) => void}} Content */

/**
 * Show the view at once, and its content when the service has listed its sheets; scans wait for that.
 *
 * @param {import('../router.js').Route} route
 * @returns {import('../router.js').View}
 */
export function open({ query }) {
  const ended = new AbortController()
  const { signal } = ended
  const node = element('div', { 'aria-busy': 'true' }, element('h1', null, text('view.labels')))
  /** Scans from before the view is ready; null if it could not be loaded. @type {string[] | null} */
  let scanned = []
  /** @type {Content | null} */
  let content = null

  async function load() {
    scanned = []
    try {
      const names = ['codes/sheets', 'codes/formats', 'codes/layouts', 'printers']
      const lists = names.map((name) => ask('GET', `/api/${name}`, { signal }))
      const all = Promise.all([...lists, chooseNamed(query.get('products'), signal)])
      const [sheets, formats, saved, printers] = await whileLoading(node, all)
      content = labels({ sheets, formats, saved, printers }, signal)
      fill(node, content.node)
      scanned.forEach(content.scan)
    } catch (error) {
      if (signal.aborted) return
      if (scanned.length) bad()
      scanned = null
      const again = failure(error, () => void load())
      fill(node, element('div', { class: 'view' }, element('h1', null, text('view.labels')), again))
    }
    node.removeAttribute('aria-busy')
  }

  void load()
  return {
    node,
    title: text('view.labels'),
    scan: (code) => (content ? content.scan(code) : scanned ? scanned.push(code) : bad()),
    close: () => ended.abort(),
  }
}

/**
 * Choose the products that the address names. It names none after that: loading the page again keeps the copies.
 *
 * @param {string | null} named
 * @param {AbortSignal} signal
 */
async function chooseNamed(named, signal) {
  const ids = idsOf(named)
  if (!ids.length) return
  const { hash } = location
  const products = await productsWithIds(ids, signal)
  selection.choose(products)
  // a person may have gone back meanwhile
  if (location.hash === hash) history.replaceState(null, '', '#labels')
  const count = ids.length - products.length
  if (count) announce(text('labels.gone', { count }), 'bad')
}

/**
 * @param {object} known what the service has
 * @param {import('./sheets.js').Sheet[]} known.sheets
 * @param {{format: string}[]} known.formats
 * @param {import('./layout.js').SavedLayout[]} known.saved
 * @param {import('../types.js').Printer[]} known.printers
 * @param {AbortSignal} signal
 * @returns {Content}
 */
function labels({ sheets, formats, saved, printers }, signal) {
  /** Scans and prints, so that a print has what was scanned before it, and nothing else. */
  const turns = new InTurn()
  const products = productCard(formats, { changed: show, turns }, signal)
  const watch = watchPrinter(printers, settings().printer, signal)
  const orders = valueOf(lastOrders())
  const again = (/** @type {Order} */ order) => void bar.print(() => onFreeLabels(order, sheets))
  const design = labelDesign(sheets, saved, watch, show, signal)
  /** The last order of the selection: to print another one again changes nothing in it. @type {Order | null} */
  let ofSelection = null
  const bar = new PrintBar(
    {
      chosen: () => (ofSelection = design.order(products.order())),
      inTurn: (action) => turns.take(action),
      printed,
      queued: (job, order) => follow(watch, job, order),
      takenBack,
    },
    draw(html`<${PrinterState} watch=${watch} />`).node,
  )

  function show() {
    const { count } = selection
    products.show()
    design.show(products.order(), count)
    products.node.classList.toggle('roll', design.isRoll())
    bar.show(count, design.sheet(), design.first(), design.isRefused)
    orders.value = lastOrders()
    callButton()
  }

  function callButton() {
    bar.call(text(waitsFor(watch) ? 'printer.later' : 'labels.print'))
  }

  /** @param {Order} order */
  function printed(order) {
    const sheet = sheetNamed(sheets, order.sheet)
    if (sheet) keepFirstFree(sheet, nextFree(sheet, order.first ?? 1, countOf(order)))
    if (order === ofSelection) selection.markPrinted(true)
    show()
  }

  /** @param {Order} order */
  function takenBack(order) {
    const sheet = sheetNamed(sheets, order.sheet)
    if (sheet) keepFirstFree(sheet, order.first ?? 1)
    if (order === ofSelection) selection.markPrinted(false)
    show()
  }

  const title = element('h1', { class: 'wide' }, text('view.labels'))
  computed(() => watch.printer.value?.name).subscribe(show)
  watch.printer.subscribe(callButton)
  const prints = draw(
    html`<${LastPrints} watch=${watch} orders=${orders} again=${again} sheets=${sheets} freed=${show} />`,
    element('div', { class: 'wide' }),
  )
  const node = element(
    'div',
    { class: 'view two labels' },
    title,
    products.node,
    ...design.nodes,
    prints.node,
    bar.node,
  )
  return { node, scan: products.scan }
}

/**
 * Return an order that begins at the first free label of its sheet.
 *
 * @param {Order} order
 * @param {import('./sheets.js').Sheet[]} sheets
 */
function onFreeLabels(order, sheets) {
  const sheet = sheetNamed(sheets, order.sheet)
  return { ...order, first: sheet ? firstFree(sheet) : 1 }
}

/**
 * The products to print, and their symbology.
 *
 * @param {{format: string}[]} formats
 * @param {{changed: () => void, turns: InTurn}} view
 * @param {AbortSignal} signal
 */
function productCard(formats, { changed, turns }, signal) {
  const items = labelItems(
    (item, copies) => update(() => selection.setCopies(item, copies)),
    (item) => update(() => selection.remove(item)),
  )
  const clear = element('button', { type: 'button', class: 'clear', onclick: removeAll }, text('labels.clear'))
  const none = element('p', { class: 'soft' }, text('labels.none'))
  const symbology = symbologyChoice(text('labels.symbology'), formats, settings().symbology, (name) =>
    update(() => change({ symbology: name })),
  )

  /** @param {() => void} action */
  function update(action) {
    action()
    changed()
  }

  function removeAll() {
    update(() => selection.clear())
    search.querySelector('input')?.focus()
  }

  /** @param {any} product */
  function add(product) {
    if (!product) return
    if (selection.isPrinted) announce(text('labels.begun'))
    update(() => selection.add(product))
  }

  /** @param {any} product that may still be looked up; none if it is not found */
  const addInTurn = (product) => void turns.take(async () => add(await product))
  const scan = (/** @type {string} */ code, /** @type {string} */ type = '') => addInTurn(found(code, type, signal))
  const search = productSearch(addInTurn, scan, signal)
  const node = element(
    'section',
    { class: 'card chosen' },
    search,
    cameraPanel(scan, signal).node,
    items.node,
    none,
    clear,
    symbology.label,
  )
  return {
    node,
    scan,
    show() {
      items.show(selection.items, symbology.field.value)
      none.hidden = selection.items.length > 0
      clear.hidden = !none.hidden
    },
    /** Return what the card says of an order. */
    order() {
      const products = selection.items.map(({ product, copies }) => ({ code: product.product_code, copies }))
      return { products, symbology: symbology.field.value }
    },
  }
}

/**
 * Return the product of a scan; without one, say why and return null.
 *
 * @param {string} code
 * @param {string} type its symbology, if the camera has read it, or empty
 * @param {AbortSignal} signal
 */
async function found(code, type, signal) {
  try {
    const product = await resolveScan(code, signal, type)
    good()
    expire()
    return product
  } catch (error) {
    if (signal.aborted) return null
    bad()
    announce(isUnknown(error) ? text('labels.unknown', { code }) : errorText(error), 'bad')
    return null
  }
}

/** @param {unknown} error */
function isUnknown(error) {
  return error instanceof Refusal && error.details.reason === 'no_product_matches'
}
