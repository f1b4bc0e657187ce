/** What is low, what is out of stock, and what to buy. */

import { envelope } from '../api.js'
import { element, fill, keyed } from '../dom.js'
import { number } from '../formats.js'
import { text } from '../language.js'
import { latestOnly } from '../latest.js'
import { buyingList } from './buying_table.js'
import { failure } from '../failure.js'
import { whileLoading } from '../loading.js'
import { Pager } from '../pager.js'
import { productLink } from '../products/cells.js'
import { draw, html, signal as signalOf } from '../ui.js'

/** Levels of one page. */
const PAGE = 10

/** @typedef {{product_id: number, product_code: string, description: string, current_level: number, minimum_level: number, maximum_level: number}} Level */

/** The lists: the name of each in the address, its choice, and its title. @type {[string, string, string][]} */
const LISTS = [
  ['low', 'stock.low', 'stock.short'],
  ['out', 'stock.out', 'stock.out'],
  ['buy', 'stock.buy', 'stock.buy'],
]

/**
 * @param {string} list the name of the list to show first
 * @param {(list: string) => void} chosen called with another one
 * @param {AbortSignal} signal
 */
export function shortStock(list, chosen, signal) {
  const heading = element('h2')
  const sum = element('span', { class: 'mark wait', role: 'status', hidden: true })
  const results = element('div', { class: 'fitting' })
  const place = signalOf({ page: 1, pages: 1, total: 0 })
  const go = (/** @type {number} */ wanted) => void load(wanted)
  const Pages = () => html`<${Pager} place=${place.value} go=${go} />`
  const pages = draw(html`<${Pages} />`)
  const levels = levelTable()
  const buying = buyingList(signal)
  const begin = latestOnly()
  let page = 1
  const which = listChoice(list, (name) => {
    chosen(name)
    void load(1)
  })

  /** @param {number} [wanted] */
  async function load(wanted = page) {
    const isLast = begin()
    page = wanted
    const isBuying = which.value === 'buy'
    heading.textContent = text(LISTS.find(([name]) => name === which.value)?.[2] ?? '')
    try {
      const request = isBuying ? buying.load() : levelsOf(which.value, page, signal)
      const found = await whileLoading(results, request)
      if (!isLast()) return
      if (isBuying) show(buying.node, found, { page: 1, pages: 1, total: buying.count() })
      else showLevels(found.data, found.pagination)
    } catch (error) {
      if (!isLast() || signal.aborted) return
      sum.hidden = true
      place.value = { page: 1, pages: 1, total: 0 }
      const again = failure(error, () => void load())
      fill(results, again)
    }
  }

  /**
   * @param {Level[]} data
   * @param {import('../pager.js').Place} found
   */
  function showLevels(data, found) {
    if (!data.length && found.total) return void load(found.pages)
    levels.show(data)
    show(levels.node, data, found)
  }

  /**
   * @param {HTMLElement} table
   * @param {unknown[]} data
   * @param {import('../pager.js').Place} found
   */
  function show(table, data, found) {
    sum.hidden = found.total === 0
    sum.textContent = text('stock.low.sum', { count: found.total })
    place.value = found
    if (!data.length) fill(results, element('p', { class: 'soft' }, text(`stock.${which.value}.none`)))
    else if (!results.contains(table)) fill(results, table)
  }

  const title = element('div', { class: 'row apart' }, element('div', { class: 'row' }, heading, sum), which)
  return { node: element('section', { class: 'card short-stock' }, title, results, pages.node), load }
}

/**
 * @param {string} list
 * @param {(list: string) => void} chosen
 */
function listChoice(list, chosen) {
  const field = element(
    'select',
    { 'aria-label': text('stock.which'), onchange: () => chosen(field.value) },
    ...LISTS.map(([value, key]) => element('option', { value }, text(key))),
  )
  if (LISTS.some(([name]) => name === list)) field.value = list
  return field
}

/**
 * @param {string} stock
 * @param {number} page
 * @param {AbortSignal} signal
 */
function levelsOf(stock, page, signal) {
  return envelope('GET', '/api/inventory', { query: { stock, page, limit: PAGE }, signal })
}

function levelTable() {
  const rows = element('tbody')
  const head = element(
    'tr',
    null,
    element('th', { scope: 'col' }, text('product')),
    element('th', { scope: 'col', class: 'number' }, text('level')),
    element('th', { scope: 'col', class: 'number' }, text('stock.minimum')),
    element('th', { scope: 'col', class: 'number wide-only' }, text('product.maximum_level')),
  )
  /** @param {Level[]} levels */
  const show = (levels) =>
    keyed(
      rows,
      levels,
      (level) => JSON.stringify(level),
      (level, existing) => existing ?? levelRow(level),
    )
  return { node: element('table', null, element('thead', null, head), rows), show }
}

/** @param {Level} level */
function levelRow({ product_id, product_code, description, current_level, minimum_level, maximum_level }) {
  return element(
    'tr',
    null,
    element('td', null, productLink(product_id, product_code, description)),
    element('td', { class: 'number' }, element('strong', null, number(current_level))),
    element('td', { class: 'number' }, number(minimum_level)),
    element('td', { class: 'number wide-only' }, maximum_level ? number(maximum_level) : '–'),
  )
}
