/** What moved, by whom: filtered by day, name and product. */

import { ask } from '../api.js'
import { element, fill } from '../dom.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { resolveScan } from '../resolve_scan.js'
import { bad, good } from '../sounds.js'
import { boundsOf, dayOf } from '../typed_values.js'
import { changeList } from './change_list.js'
import { reasonOf } from './failure.js'
import { productLink } from './product_cells.js'
import { productSearch } from './product_search.js'
import { seenValues } from './seen_values.js'

/** Authors that were seen since the page was opened. @type {Set<string>} */
const authors = new Set()

/** @typedef {{id: number, product_code: string, description: string}} Product */

/**
 * @param {AbortSignal} signal
 * @param {() => void} undone called when a change has been undone
 */
export function movements(signal, undone) {
  const filter = { product_id: /** @type {number | undefined} */ (undefined), updated_by: '' }
  const from = dayField(dayOf(new Date()))
  const to = dayField('')
  const list = changeList({
    load: (place) => {
      const days = { from_date: boundsOf(from.value).begin, to_date: boundsOf(to.value).end }
      return ask('GET', '/api/inventory/changes', { query: { ...place, ...filter, ...days }, signal })
    },
    none: text('stock.moved.none'),
    productOf: ({ product_id, product_code = '', description = '' }) =>
      productLink(product_id, product_code, description),
    changed: (changes, made) => {
      who.add(changes.map((change) => change.updated_by))
      if (made) undone()
    },
    signal,
  })
  const who = seenValues({
    id: 'authors',
    label: text('change.who'),
    value: '',
    seen: authors,
    choose: (chosen) => {
      filter.updated_by = chosen
      void list.reload()
    },
  })
  const product = productChoice((id) => {
    filter.product_id = id
    void list.reload()
  }, signal)

  /** @param {string} value */
  function dayField(value) {
    return element('input', { type: 'date', value, onchange: () => void list.reload() })
  }

  const node = element(
    'section',
    { class: 'card movements' },
    element('h2', null, text('stock.moved')),
    element(
      'div',
      { class: 'row filters' },
      element('label', { class: 'day' }, text('stock.from'), from),
      element('label', { class: 'day' }, text('stock.to'), to),
      who.node,
      product.node,
    ),
    list.node,
  )
  return { node, load: () => list.reload(), refresh: () => list.refresh(), isTyped: product.isTyped }
}

/**
 * Return the choice of the one product whose movements are shown.
 *
 * @param {(id: number | undefined) => void} chosen
 * @param {AbortSignal} signal
 */
function productChoice(chosen, signal) {
  const only = element('div', { class: 'row only', hidden: true })

  /** @param {Product | null} product */
  function choose(product) {
    only.hidden = product === null
    search.hidden = product !== null
    fill(
      only,
      product &&
        element(
          'span',
          { class: 'grow' },
          element('bdi', null, product.description),
          ' ',
          element('bdi', { class: 'code soft' }, product.product_code),
        ),
      element('button', { type: 'button', onclick: () => choose(null) }, text('stock.all-products')),
    )
    chosen(product?.id)
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

  const search = productSearch(choose, (code) => void scan(code), signal)
  const node = element('div', { class: 'grow labelled' }, element('span', null, text('product')), search, only)
  return { node, isTyped: () => search.querySelector('input')?.value.trim() !== '' }
}
