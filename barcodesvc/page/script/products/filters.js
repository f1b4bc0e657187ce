/** What a list of products searches for and filters by: text, category, stock, and since when it moved. */

import { element } from '../dom.js'
import { text } from '../language.js'
import { DAYS } from './query.js'
import { pauseBehind } from './search_pause.js'
import { choice } from '../choice.js'
import { seenValues } from '../seen_values.js'

/** Categories that were seen since the page was opened. @type {Set<string>} */
const categories = new Set()

/**
 * @param {import('./query.js').ProductQuery} query
 * @param {object} actions
 * @param {(changed: Partial<import('./query.js').ProductQuery>) => void} actions.filter
 * @param {() => Promise<void>} actions.loaded is resolved when the previous request has ended
 * @param {(code: string) => void} actions.scan
 * @param {AbortSignal} actions.signal
 */
export function productFilters(query, { filter, loaded, scan, signal }) {
  const search = searchField(query.search, (typed) => filter({ search: typed }), { loaded, scan, signal })
  const category = seenValues({
    id: 'categories',
    label: text('product.category'),
    value: query.category,
    seen: categories,
    choose: (chosen) => filter({ category: chosen }),
  })
  const stock = choice(
    text('level'),
    [['', text('products.stock.any')], ...named('products.stock', ['low', 'out'])],
    query.stock,
    (chosen) => filter({ stock: chosen }),
  )
  const moved = choice(
    text('products.moved'),
    [['', text('products.moved.any')], ...named('products.moved', DAYS)],
    query.moved,
    (chosen) => filter({ moved: chosen }),
  )
  const node = element(
    'div',
    { class: 'row filters', role: 'search' },
    element('label', { class: 'grow search-text' }, text('products.search'), search),
    category.node,
    stock.label,
    moved.label,
  )

  /** The search that is shown: text that is typed meanwhile stays. */
  let searched = query.search

  /** Show what another address asks for. @param {import('./query.js').ProductQuery} wanted */
  function show(wanted) {
    if (searched !== wanted.search && document.activeElement !== search) search.value = wanted.search
    searched = wanted.search
    category.show(wanted.category)
    stock.field.value = wanted.stock
    moved.field.value = wanted.moved
  }
  return { node, show, seen: category.add, focus: () => search.focus() }
}

/**
 * @param {string} key
 * @param {string[]} values
 * @returns {[string, string][]}
 */
function named(key, values) {
  return values.map((value) => [value, text(`${key}.${value}`)])
}

/**
 * Return the field that searches while somebody types, one search at a time: the service does not cancel one for another.
 *
 * @param {string} value
 * @param {(typed: string) => void} search
 * @param {{loaded: () => Promise<void>, scan: (code: string) => void, signal: AbortSignal}} actions
 */
function searchField(value, search, { loaded, scan, signal }) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let pause
  signal.addEventListener('abort', () => clearTimeout(pause))
  const field = element('input', {
    type: 'search',
    value,
    maxlength: 500,
    autocomplete: 'off',
    spellcheck: 'false',
    'data-takes-scans': true,
    oninput: () => {
      clearTimeout(pause)
      pause = setTimeout(() => void send(), pauseBehind(field.value.trim()))
    },
    onscan: (/** @type {CustomEvent} */ event) => {
      clearTimeout(pause)
      scan(event.detail)
    },
  })

  async function send() {
    const typed = field.value
    await loaded()
    if (typed === field.value && !signal.aborted) search(typed.trim())
  }
  return field
}
