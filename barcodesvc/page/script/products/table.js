/** The products of a page as a table: sorted by its heads, selected by its checkboxes. */

import { element, keyed } from '../dom.js'
import { moment, number } from '../formats.js'
import { text } from '../language.js'
import { sortDirection } from './query.js'
import { labelsAddress } from './products_by_id.js'
import { symbol } from '../symbols.js'
import { levelMark } from './cells.js'

/** @typedef {{id: number, product_code: string, description: string, category: string, unit_of_measure: string, updated_at: string, current_level: number, minimum_level: number, maximum_level: number, attributes: Record<string, string>}} Product */

/** The columns: the text of the head, the field to sort by, the class. @type {[string, string, string][]} */
const COLUMNS = [
  ['product', 'description', ''],
  ['product.product_code', 'product_code', 'wide-only'],
  ['product.category', '', 'wider-only'],
  ['level', 'current_level', 'number'],
  ['product.minimum_level', '', 'number wider-only'],
  ['product.updated', 'updated_at', 'wider-only'],
]

/** Characters of the longest code that is kept on one line. */
const UNBROKEN = 20

/**
 * @typedef {object} Actions
 * @property {(field: string) => void} sortBy
 * @property {(category: string) => void} choose shows the products of a category
 * @property {(id: number) => string} addressOf a product
 * @property {import('./row_selection.js').RowSelection<Product>} selection
 * @property {() => void} selected called after the selection has changed
 */

export class ProductTable {
  /** @type {Product[]} */
  #page = []
  #rows = element('tbody')
  #all
  #heads
  #actions

  /** @param {Actions} actions */
  constructor(actions) {
    this.#actions = actions
    this.#all = checkbox(text('products.select.page'), (isOn) => {
      actions.selection.pressAll(this.#page, isOn)
      actions.selected()
    })
    this.#heads = COLUMNS.map(([key, field, name]) => headOf(key, field, name, actions.sortBy))
    const check = element('th', { scope: 'col', class: 'check' }, this.#all.node)
    const print = element('th', { scope: 'col' }, element('span', { class: 'unseen' }, text('labels.print-one')))
    const head = element('thead', null, element('tr', null, check, ...this.#heads, print))
    this.node = element('table', { class: 'product-table' }, head, this.#rows)
  }

  /**
   * @param {Product[]} products
   * @param {string} sort
   */
  show(products, sort) {
    this.#page = products
    this.#heads.forEach((head, index) => {
      const field = COLUMNS[index]?.[1]
      if (field) head.setAttribute('aria-sort', sortDirection(sort, field))
    })
    keyed(
      this.#rows,
      products,
      ({ id }) => id,
      (product, existing) => this.#rowOf(product, existing),
    )
    this.mark()
  }

  /** Mark what is selected. */
  mark() {
    const { selection } = this.#actions
    const part = selection.partOf(this.#page)
    this.#all.field.checked = part === 'all'
    this.#all.field.indeterminate = part === 'some'
    for (const row of this.#rows.rows) {
      const isOn = selection.has(Number(row.dataset['id']))
      row.classList.toggle('selected', isOn)
      const field = row.querySelector('input')
      if (field) field.checked = isOn
    }
  }

  /** Mark the product that is open. @param {string} id */
  current(id) {
    for (const row of this.#rows.rows) {
      const link = row.querySelector('a')
      row.classList.toggle('open', row.dataset['id'] === id)
      if (row.dataset['id'] === id) link?.setAttribute('aria-current', 'true')
      else link?.removeAttribute('aria-current')
    }
  }

  /** Move the focus to the checkbox of the whole page. */
  focusAll() {
    this.#all.field.focus({ preventScroll: true })
  }

  /** @param {string} id of a product */
  focus(id) {
    const row = [...this.#rows.rows].find((each) => each.dataset['id'] === id)
    row?.querySelector('a')?.focus({ preventScroll: true })
  }

  /**
   * @param {Product} product
   * @param {Element | null} existing
   */
  #rowOf(product, existing) {
    const { addressOf, choose, selection, selected } = this.#actions
    const href = addressOf(product.id)
    const version = JSON.stringify([product, href])
    if (existing instanceof HTMLElement && existing.dataset['version'] === version) return existing
    const box = checkbox(text('products.select', { code: product.product_code }), (isOn, isRange) => {
      selection.press(this.#page, product.id, isOn, isRange)
      selected()
    })
    return element(
      'tr',
      { 'data-id': product.id, 'data-version': version },
      element('td', { class: 'check' }, box.node),
      ...cellsOf(product, href, choose),
      element('td', { class: 'action' }, printLink(product)),
    )
  }
}

/** @param {Product} product */
function printLink({ id, product_code }) {
  const name = text('labels.print-of', { code: product_code })
  return element('a', { class: 'button', href: labelsAddress([id]), 'aria-label': name, title: name }, symbol('print'))
}

/**
 * @param {string} key
 * @param {string} field
 * @param {string} name of the class
 * @param {(field: string) => void} sortBy
 */
function headOf(key, field, name, sortBy) {
  const sort = () => sortBy(field)
  const button = field && element('button', { type: 'button', class: 'plain sort', onclick: sort }, text(key))
  return element('th', { scope: 'col', class: name }, button || text(key))
}

/**
 * @param {string} label
 * @param {(isOn: boolean, isRange: boolean) => void} press
 */
function checkbox(label, press) {
  const field = element('input', {
    type: 'checkbox',
    'aria-label': label,
    onclick: (/** @type {MouseEvent} */ event) => press(field.checked, event.shiftKey),
  })
  return { field, node: element('label', null, field) }
}

/**
 * @param {Product} product
 * @param {string} href
 * @param {(category: string) => void} choose
 */
function cellsOf(product, href, choose) {
  const { product_code, description, category, unit_of_measure, current_level, minimum_level, updated_at } = product
  const attributes = Object.entries(product.attributes).map(([name, value]) => `${name}: ${value}`)
  const code = () => element('bdi', { class: product_code.length > UNBROKEN ? 'code long' : 'code' }, product_code)
  const pick = () => choose(category)
  return [
    element(
      'td',
      null,
      element(
        'a',
        { class: 'product-link', href },
        element('bdi', { class: 'clamped' }, description),
        element('span', { class: 'narrow-only soft' }, code()),
      ),
      attributes.length > 0 && element('bdi', { class: 'attributes soft' }, attributes.join(' · ')),
    ),
    element('td', { class: 'wide-only soft' }, code()),
    element(
      'td',
      { class: 'wider-only' },
      category && element('button', { type: 'button', class: 'plain', onclick: pick }, element('bdi', null, category)),
    ),
    element(
      'td',
      { class: 'number' },
      levelMark(current_level, minimum_level),
      ' ',
      number(current_level),
      ' ',
      element('bdi', { class: 'unit soft' }, unit_of_measure),
    ),
    element('td', { class: 'number wider-only soft' }, minimum_level ? number(minimum_level) : '–'),
    element('td', { class: 'wider-only soft' }, moment(updated_at)),
  ]
}
