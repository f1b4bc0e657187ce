/** The kiosk for labels: products and copies, the sheet drawn to scale, the symbol as it will be printed, the PDF. */

import { ask, address, Unreachable } from '../api.js'
import { element, fill } from '../dom.js'
import { wholeNumber } from '../formats.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { productSearch } from '../parts/product_search.js'
import { roll, sheetDrawing } from '../parts/sheet_drawing.js'
import { print } from '../printing.js'
import { change, settings } from '../settings.js'
import { bad, good } from '../sounds.js'
import { symbol } from '../symbols.js'

/** Labels of one document at most (the service's limit). */
const MOST = 10_000

/** The value of the choice that stands for a roll. */
const ROLL = 'roll'

/** What can stand below a code. */
const LINES = /** @type {const} */ (['include_description', 'include_category', 'include_unit'])

/** Products and copies stay while somebody looks at another view. @type {{product: any, copies: number}[]} */
let chosen = []

/** @returns {Promise<import('../router.js').View>} */
export async function open() {
  const ended = new AbortController()
  const [sheets, formats] = await Promise.all([ask('GET', '/api/codes/sheets'), ask('GET', '/api/codes/formats')])
  let first = 1

  const items = element('ul', { class: 'items', 'aria-label': text('labels.items') })
  const paper = element('div', { class: 'paper-holder' })
  const preview = element('figure', { class: 'preview' })
  const problem = element('p', { class: 'problem', role: 'alert' })
  const sum = element('p', { class: 'soft', role: 'status' })
  const button = element(
    'button',
    { type: 'button', class: 'main', onclick: () => void printAll() },
    symbol('print'),
    text('labels.print'),
  )
  const symbology = select(
    'labels.symbology',
    formats.map((/** @type {any} */ each) => each.format),
    settings().symbology,
  )
  const sheet = select(
    'labels.sheet',
    [...sheets.map((/** @type {any} */ each) => each.sheet), ROLL],
    sheetOf(settings().sheet) ? settings().sheet : ROLL,
  )
  const size = element('input', {
    type: 'text',
    value: rollOf(settings().sheet),
    maxlength: 20,
    oninput: () => changed(),
  })
  const sizeLabel = element('label', null, text('labels.roll.size'), size)
  const firstField = element('input', {
    type: 'text',
    inputmode: 'numeric',
    value: '1',
    oninput: () => start(wholeNumber(firstField.value) ?? 1),
  })
  const lines = LINES.map((name) =>
    element('input', { type: 'checkbox', checked: name === 'include_description', name }),
  )
  const further = element('textarea', { rows: 2, maxlength: 330, 'aria-label': text('labels.lines') })
  symbology.field.addEventListener('change', () => {
    change({ symbology: symbology.field.value })
    show()
  })
  sheet.field.addEventListener('change', () => changed())

  /** @param {string} name */
  function sheetOf(name) {
    return sheets.find((/** @type {any} */ each) => each.sheet === name) ?? null
  }

  function currentSheet() {
    return sheet.field.value === ROLL ? roll(size.value) : sheetOf(sheet.field.value)
  }

  function changed() {
    const current = currentSheet()
    if (current) change({ sheet: current.sheet })
    start(1)
  }

  /** @param {number} position */
  function start(position) {
    first = Math.max(1, position)
    if (wholeNumber(firstField.value) !== first) firstField.value = String(first)
    show()
  }

  function show() {
    const current = currentSheet()
    const count = chosen.reduce((total, { copies }) => total + copies, 0)
    sizeLabel.hidden = sheet.field.value !== ROLL
    fill(items, ...chosen.map(itemLine))
    fill(paper, current && sheetDrawing(current, first, count, start))
    sum.textContent = text('labels.sum', { count })
    button.disabled = count === 0 || count > MOST || !current
    problem.textContent = current ? '' : text('labels.roll.wrong')
    showSymbol()
  }

  function showSymbol() {
    const code = chosen[0]?.product.product_code
    if (!code) return fill(preview, element('p', { class: 'soft' }, text('labels.none')))
    const source = address(`/api/codes/barcode/${encodeURIComponent(code)}.svg`, { format: symbology.field.value })
    const picture = element('img', {
      src: source,
      alt: text('labels.symbol', { code }),
      onerror: () =>
        fill(
          preview,
          element('p', { class: 'problem' }, text('labels.symbol.wrong', { code, symbology: symbology.field.value })),
        ),
    })
    fill(preview, picture)
  }

  /** @param {{product: any, copies: number}} item */
  function itemLine(item) {
    const { product_code, description } = item.product
    const copies = element('input', {
      type: 'text',
      inputmode: 'numeric',
      value: item.copies,
      'aria-label': text('labels.copies', { code: product_code }),
      onchange: () => {
        item.copies = Math.min(MOST, Math.max(1, wholeNumber(copies.value) ?? 1))
        show()
      },
    })
    const step = (/** @type {number} */ by) => () => {
      item.copies = Math.min(MOST, Math.max(1, item.copies + by))
      show()
    }
    const remove = () => {
      chosen = chosen.filter((each) => each !== item)
      show()
    }
    return element(
      'li',
      { class: 'row' },
      element(
        'div',
        { class: 'grow' },
        element('div', { class: 'code' }, element('bdi', null, product_code)),
        element('bdi', null, description),
      ),
      element(
        'div',
        { class: 'copies' },
        element('button', { type: 'button', 'aria-label': text('labels.fewer'), onclick: step(-1) }, '−'),
        copies,
        element('button', { type: 'button', 'aria-label': text('labels.more'), onclick: step(1) }, '+'),
      ),
      element(
        'button',
        { type: 'button', 'aria-label': text('labels.remove', { code: product_code }), onclick: remove },
        symbol('bad'),
      ),
    )
  }

  /** @param {any} product */
  function add(product) {
    const present = chosen.find((each) => each.product.id === product.id)
    if (present) present.copies = Math.min(MOST, present.copies + 1)
    else chosen = [...chosen, { product, copies: 1 }]
    show()
  }

  /** @param {string} code */
  async function scan(code) {
    try {
      add((await ask('POST', '/api/codes/decode', { body: { code_data: code } })).product)
      good()
    } catch (error) {
      bad()
      announce(error instanceof Unreachable ? text('unreachable') : text('labels.unknown', { code }), 'bad')
    }
  }

  async function printAll() {
    const current = currentSheet()
    if (!current) return
    const texts = further.value
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean)
    const wanted = Object.fromEntries(lines.map((box) => [box.name, box.checked]))
    button.disabled = true
    try {
      await print({
        products: chosen.map(({ product, copies }) => ({ code: product.product_code, copies })),
        symbology: symbology.field.value,
        sheet: current.sheet,
        first,
        lines: { ...wanted, ...(texts.length ? { lines: texts } : {}) },
      })
      problem.textContent = ''
    } catch (error) {
      problem.textContent = error instanceof Unreachable ? text('unreachable') : /** @type {Error} */ (error).message
    } finally {
      button.disabled = false
    }
  }

  const node = element(
    'div',
    { class: 'view two labels' },
    element('h1', { class: 'wide' }, text('view.labels')),
    element(
      'section',
      { class: 'card' },
      productSearch(add, (code) => void scan(code), ended.signal),
      items,
      sum,
      element('div', { class: 'row' }, element('div', { class: 'grow' }, symbology.label)),
      preview,
      element(
        'fieldset',
        { class: 'view' },
        element('legend', null, text('labels.below')),
        ...lines.map((box) => element('label', { class: 'check' }, box, text(`labels.${box.name}`))),
        element('label', null, text('labels.lines'), further),
      ),
    ),
    element(
      'section',
      { class: 'card' },
      sheet.label,
      sizeLabel,
      element('label', null, text('labels.first'), firstField),
      paper,
      problem,
      button,
    ),
  )
  show()
  return { node, title: text('view.labels'), scan: (code) => void scan(code), close: () => ended.abort() }
}

/**
 * @param {string} name
 * @param {string[]} values
 * @param {string} value
 */
function select(name, values, value) {
  const field = element(
    'select',
    null,
    ...values.map((each) => element('option', { value: each }, each === ROLL ? text('labels.roll') : each)),
  )
  if (values.includes(value)) field.value = value
  return { field, label: element('label', null, text(name), field) }
}

/** @param {string} name */
function rollOf(name) {
  return roll(name)?.sheet ?? '50x30mm'
}
