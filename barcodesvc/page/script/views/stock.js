/** The stock: what is low or out of stock, and what moved, by whom; each change can be undone. */

import { answer, ask } from '../api.js'
import { element, fill } from '../dom.js'
import { number } from '../formats.js'
import { boundsOf, dayOf } from '../typed_values.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { changeList } from '../parts/change_list.js'
import { exportLinks } from '../parts/export_links.js'
import { failure, reasonOf } from '../parts/failure.js'
import { pager } from '../parts/pager.js'
import { productLink } from '../parts/product_cells.js'
import { productSearch } from '../parts/product_search.js'
import { seenValues } from '../parts/seen_values.js'
import { resolveScan } from '../resolve_scan.js'
import { bad, good } from '../sounds.js'

/** Levels of one page. */
const PAGE = 10

/** Authors that were seen since the page was opened. @type {Set<string>} */
const authors = new Set()

/** @typedef {{product_id: number, product_code: string, description: string, current_level: number, minimum_level: number, maximum_level: number}} Level */

/** @returns {import('../router.js').View} */
export function open() {
  const ended = new AbortController()
  const low = lowStock(ended.signal)
  const moved = movements(ended.signal, () => void low.load())
  const node = element(
    'div',
    { class: 'view stock' },
    element(
      'div',
      { class: 'row apart' },
      element('h1', null, text('view.stock')),
      element('div', { class: 'row' }, ...exportLinks('/api/inventory/export')),
    ),
    low.node,
    moved.node,
  )
  void low.load()
  void moved.load()
  return { node, title: text('view.stock'), scan: (code) => void moved.scan(code), close: () => ended.abort() }
}

/** @param {AbortSignal} signal */
function lowStock(signal) {
  const sum = element('span', { class: 'mark', role: 'status', hidden: true })
  const results = element('div', { class: 'fitting' })
  const pages = pager((page) => void load(page))
  const which = element(
    'select',
    { 'aria-label': text('stock.which'), onchange: () => void load(1) },
    element('option', { value: 'low' }, text('stock.low')),
    element('option', { value: 'out' }, text('stock.out')),
  )
  const heading = element('h2', null, text('stock.short'))
  const title = element('div', { class: 'row apart' }, heading, element('div', { class: 'row' }, sum, which))
  let shown = 1
  let turn = 0

  /** @param {number} [page] */
  async function load(page = shown) {
    const mine = ++turn
    shown = page
    try {
      const found = await answer('GET', '/api/inventory', { query: { stock: which.value, page, limit: PAGE }, signal })
      if (mine === turn) show(found.data, found.pagination)
    } catch (error) {
      if (signal.aborted || mine !== turn) return
      sum.hidden = true
      pages.node.hidden = true
      fill(
        results,
        failure(error, () => void load()),
      )
    }
  }

  /**
   * @param {Level[]} levels
   * @param {import('../parts/pager.js').Place} place
   */
  function show(levels, place) {
    if (!levels.length && place.total) return void load(place.pages)
    sum.hidden = place.total === 0
    sum.className = 'mark wait'
    sum.textContent = text('stock.low.sum', { count: place.total })
    pages.show(place)
    const none = which.value === 'out' ? text('stock.out.none') : text('stock.low.none')
    fill(results, levels.length ? lowTable(levels) : element('p', { class: 'soft' }, none))
  }

  return { node: element('section', { class: 'card' }, title, results, pages.node), load }
}

/** @param {Level[]} levels */
function lowTable(levels) {
  const head = element(
    'tr',
    null,
    element('th', { scope: 'col' }, text('product')),
    element('th', { scope: 'col', class: 'number' }, text('level')),
    element('th', { scope: 'col', class: 'number' }, text('stock.minimum')),
    element('th', { scope: 'col', class: 'number wide-only' }, text('product.maximum_level')),
  )
  return element('table', null, element('thead', null, head), element('tbody', null, ...levels.map(lowLine)))
}

/** @param {Level} level */
function lowLine({ product_id, product_code, description, current_level, minimum_level, maximum_level }) {
  return element(
    'tr',
    null,
    element('td', null, productLink(product_id, product_code, description)),
    element('td', { class: 'number' }, element('strong', null, number(current_level))),
    element('td', { class: 'number' }, number(minimum_level)),
    element('td', { class: 'number wide-only' }, maximum_level ? number(maximum_level) : '–'),
  )
}

/**
 * @param {AbortSignal} signal
 * @param {() => void} undone called when a change has been undone
 */
function movements(signal, undone) {
  /** @type {{id: number, product_code: string, description: string} | null} */
  let product = null
  let author = ''
  const today = dayOf(new Date())
  const from = dayField(today)
  const to = dayField('')

  const list = changeList({
    load: (place) => {
      const query = {
        ...place,
        product_id: product?.id,
        updated_by: author,
        from_date: boundsOf(from.value).begin,
        to_date: boundsOf(to.value).end,
      }
      return ask('GET', '/api/inventory/changes', { query, signal })
    },
    none: text('stock.moved.none'),
    productOf: ({ product_id, product_code = '', description = '' }) =>
      productLink(product_id, product_code, description),
    seen: (change, isNew) => {
      who.add([change.updated_by])
      if (isNew) undone()
    },
    signal,
  })
  const who = seenValues({
    id: 'authors',
    label: text('change.who'),
    value: '',
    seen: authors,
    choose: (chosen) => {
      author = chosen
      void list.reload()
    },
  })
  const only = element('div', { class: 'row only', hidden: true })

  /** @param {typeof product} chosen */
  function choose(chosen) {
    product = chosen
    only.hidden = chosen === null
    search.hidden = chosen !== null
    fill(
      only,
      chosen &&
        element(
          'span',
          { class: 'grow' },
          element('bdi', null, chosen.description),
          ' ',
          element('bdi', { class: 'code soft' }, chosen.product_code),
        ),
      element('button', { type: 'button', onclick: () => choose(null) }, text('stock.all-products')),
    )
    void list.reload()
  }

  /** @param {string} code */
  async function scan(code) {
    try {
      choose(await resolveScan(code, signal))
      good()
    } catch (error) {
      if (signal.aborted) return
      bad()
      announce(reasonOf(error), 'bad')
    }
  }

  /** @param {string} value */
  function dayField(value) {
    return element('input', { type: 'date', value, onchange: () => void list.reload() })
  }

  const search = productSearch(choose, (code) => void scan(code), signal)
  const node = element(
    'section',
    { class: 'card' },
    element(
      'div',
      { class: 'row apart' },
      element('h2', null, text('stock.moved')),
      element('button', { type: 'button', onclick: () => void list.reload() }, text('stock.refresh')),
    ),
    element(
      'div',
      { class: 'row filters' },
      element('label', { class: 'day' }, text('stock.from'), from),
      element('label', { class: 'day' }, text('stock.to'), to),
      who.node,
      element('div', { class: 'grow labelled' }, element('span', null, text('product')), search, only),
    ),
    list.node,
  )
  return { node, load: list.reload, scan }
}
