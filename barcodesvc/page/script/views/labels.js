/** The kiosk for labels: products and copies, the sheet drawn to scale, the symbol as it will be printed, the PDF. */

import { ask, Refusal } from '../api.js'
import { element, fill } from '../dom.js'
import { wholeNumber } from '../typed_values.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { cameraPanel } from '../parts/camera_panel.js'
import { choice } from '../parts/choice.js'
import { failure, reasonOf } from '../parts/failure.js'
import { labelItems } from '../parts/label_items.js'
import { labelLines } from '../parts/label_lines.js'
import { productSearch } from '../parts/product_search.js'
import { sheetChoice } from '../parts/sheet_choice.js'
import { sheetDrawing } from '../parts/sheet_drawing.js'
import { openPrinted, print, whyNotPrinted } from '../printing.js'
import { change, settings } from '../settings.js'
import { capacity, sheetsFor } from '../sheets.js'
import { resolveScan } from '../resolve_scan.js'
import { bad, good } from '../sounds.js'
import { symbol } from '../symbols.js'

/** Labels of one document at most (the service's limit). */
const MOST = 10_000

/** Products and copies stay while another view is open. @type {import('../parts/label_items.js').Item[]} */
let chosen = []

/** @typedef {{node: HTMLElement, scan: (code: string) => void}} Content */

/**
 * Show the view at once, and its content when the service has listed its sheets; scans wait for that.
 *
 * @returns {import('../router.js').View}
 */
export function open() {
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
      const names = [ask('GET', '/api/codes/sheets', { signal }), ask('GET', '/api/codes/formats', { signal })]
      const [sheets, formats] = await Promise.all(names)
      content = labels(sheets, formats, signal)
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
 * @param {import('../sheets.js').Sheet[]} sheets
 * @param {{format: string}[]} formats
 * @param {AbortSignal} signal
 * @returns {Content}
 */
function labels(sheets, formats, signal) {
  let first = 1
  let printing = false

  const items = labelItems(MOST, show, (item) => keep(chosen.filter((each) => each !== item)))
  const clear = element('button', { type: 'button', class: 'clear', onclick: () => keep([]) }, text('labels.clear'))
  const none = element('p', { class: 'soft' }, text('labels.none'))
  const sum = element('p', { class: 'sum', role: 'status' })
  const problem = element('p', { class: 'problem', role: 'alert' })
  const button = element(
    'button',
    { type: 'button', class: 'main', onclick: () => void printAll() },
    symbol('print'),
    text('labels.print'),
  )
  const drawing = sheetDrawing(start)
  const lines = labelLines()
  const firstField = element('input', {
    type: 'text',
    inputmode: 'numeric',
    autocomplete: 'off',
    oninput: () => start(wholeNumber(firstField.value) ?? first),
    onchange: () => void (firstField.value = String(first)),
  })
  const firstLabel = element('label', null, text('labels.first'), firstField)
  const symbologies = formats.map(({ format }) => /** @type {[string, string]} */ ([format, format]))
  const symbology = choice(text('labels.symbology'), symbologies, settings().symbology, (name) => {
    change({ symbology: name })
    show()
  })
  const sheet = sheetChoice(text('labels.sheet'), sheets, settings().sheet, (current) => {
    if (current) change({ sheet: current.sheet })
    start(1)
    firstField.value = '1'
  })

  /** @param {number} position a label of the sheet; any other is moved to the nearest */
  function start(position) {
    const current = sheet.sheet()
    first = Math.max(1, Math.min(position, current ? capacity(current) : 1))
    if (document.activeElement !== firstField) firstField.value = String(first)
    show()
  }

  /** @param {import('../parts/label_items.js').Item[]} wanted */
  function keep(wanted) {
    chosen = wanted
    show()
  }

  function show() {
    const current = sheet.sheet()
    const count = chosen.reduce((total, { copies }) => total + copies, 0)
    const onSheets = current && capacity(current) > 1
    items.show(chosen, symbology.field.value)
    none.hidden = chosen.length > 0
    clear.hidden = chosen.length === 0
    firstLabel.hidden = !onSheets
    drawing.node.toggleAttribute('hidden', !current)
    if (current) drawing.show(current, first, count)
    sum.textContent = text('labels.sum', { count })
    if (onSheets && count) sum.append(` · ${text('labels.sheets', { count: sheetsFor(current, first, count) })}`)
    button.disabled = printing || count === 0 || count > MOST || !current
    problem.textContent = count > MOST ? text('labels.too-many', { most: MOST }) : ''
  }

  /** @param {any} product */
  function add(product) {
    const present = chosen.find((each) => each.product.id === product.id)
    if (!present) return keep([...chosen, { product, copies: 1 }])
    present.copies = Math.min(MOST, present.copies + 1)
    show()
  }

  /** @param {string} code */
  async function scan(code) {
    try {
      const product = await resolveScan(code, signal)
      good()
      add(product)
    } catch (error) {
      if (signal.aborted) return
      bad()
      announce(isUnknown(error) ? text('labels.unknown', { code }) : reasonOf(error), 'bad')
    }
  }

  async function printAll() {
    const current = sheet.sheet()
    if (!current) return
    printing = true
    show()
    const products = chosen.map(({ product, copies }) => ({ code: product.product_code, copies }))
    const order = { products, symbology: symbology.field.value, sheet: current.sheet, first, lines: lines.wanted() }
    const refused = await print(order).then(
      (shown) => (shown ? null : openingButton()),
      (error) => whyNotPrinted(error, products),
    )
    printing = false
    show()
    fill(problem, refused)
  }

  const node = element(
    'div',
    { class: 'view two labels' },
    element('h1', { class: 'wide' }, text('view.labels')),
    element(
      'section',
      { class: 'card' },
      productSearch(add, (code) => void scan(code), signal),
      cameraPanel((code) => void scan(code), signal).node,
      items.node,
      none,
      clear,
      symbology.label,
      lines.node,
    ),
    element(
      'section',
      { class: 'card' },
      ...sheet.nodes,
      firstLabel,
      element('div', { class: 'paper-holder' }, drawing.node),
    ),
    element('div', { class: 'wide print-bar' }, sum, problem, button),
  )
  start(1)
  return { node, scan: (code) => void scan(code) }
}

/** @param {unknown} error */
function isUnknown(error) {
  return error instanceof Refusal && error.details.reason === 'no_product_matches'
}

/** Return a button that opens the document if the browser has not let the page do it. */
function openingButton() {
  return element('button', { type: 'button', onclick: openPrinted }, text('labels.open'))
}
