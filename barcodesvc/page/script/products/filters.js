/** What a list of products searches for and filters by: text, category, stock, and since when it moved. */

import { text } from '../language.js'
import { LIMITS } from '../api.js'
import { SeenValues } from '../seen_values.js'
import { Button, html, Select, useEffect, useRef, useSignal } from '../ui.js'
import { DAYS } from './query.js'
import { pauseBehind } from './search_pause.js'

/** @typedef {import('./query.js').ProductQuery} ProductQuery */

/**
 * @param {{query: ProductQuery, isUnderWay: boolean, categories: readonly string[], find: (changed: Partial<ProductQuery>) => void, scan: (code: string) => void}} props
 * `isUnderWay` tells whether the list is being loaded: only then the next search may be sent
 */
export function Filters({ query, isUnderWay, categories, find, scan }) {
  const isOpen = useSignal(false)
  const category = useSignal(query.category)
  useEffect(() => void (category.value = query.category), [query.category])
  const active = [query.category, query.stock, query.moved].filter(Boolean).length
  const choose = (/** @type {string} */ chosen) => void (chosen !== query.category && find({ category: chosen }))
  return html`
    <div class="row filters" role="search" data-open=${isOpen}>
      <${SearchField} query=${query} isUnderWay=${isUnderWay} find=${find} scan=${scan} />
      <${Button} icon="settings" aria-expanded=${String(isOpen.value)} onclick=${() => (isOpen.value = !isOpen.value)}>
        <span class="word">${text('products.filter')}</span>${active > 0 && ` ${active}`}
      <//>
      <${SeenValues} id="categories" label=${text('product.category')} typed=${category} seen=${categories} choose=${choose} />
      <${Select} label=${text('level')} value=${query.stock} options=${named('products.stock', ['low', 'out'])}
        changed=${(/** @type {string} */ stock) => find({ stock })} />
      <${Select} label=${text('products.moved')} value=${query.moved} options=${named('products.moved', DAYS)}
        changed=${(/** @type {string} */ moved) => find({ moved })} />
    </div>`
}

/**
 * The field that searches while somebody types, one search at a time: the service does not cancel one for another. A scan
 * opens its product, and leaves the field as it was.
 *
 * @param {{query: ProductQuery, isUnderWay: boolean, find: (changed: Partial<ProductQuery>) => void, scan: (code: string) => void}} props
 */
function SearchField({ query: { search }, isUnderWay, find, scan }) {
  const typed = useSignal(search)
  const sent = useRef(search)
  useEffect(() => {
    if (search !== sent.current) typed.value = sent.current = search
  }, [search])
  useEffect(() => {
    const wanted = typed.value.trim()
    if (wanted === search || isUnderWay) return undefined
    const timer = setTimeout(() => find({ search: (sent.current = wanted) }), pauseBehind(wanted))
    return () => clearTimeout(timer)
  }, [typed.value, search, isUnderWay])
  const scanned = (/** @type {CustomEvent & {typed?: string}} */ { detail, typed: before = '' }) => {
    typed.value = before
    scan(detail)
  }
  const label = text('products.search')
  const kind = {
    type: 'search',
    maxlength: LIMITS.search,
    autocomplete: 'off',
    spellcheck: false,
    'data-takes-scans': true,
  }
  return html`
    <input
      class="search-text" aria-label=${label} placeholder=${label} value=${typed} ...${kind} onscan=${scanned}
      oninput=${(/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) => (typed.value = currentTarget.value)}
    />`
}

/**
 * @param {string} key
 * @param {string[]} values
 * @returns {[string, string][]}
 */
function named(key, values) {
  return [
    ['', text(`${key}.any`)],
    ...values.map((value) => /** @type {[string, string]} */ ([value, text(`${key}.${value}`)])),
  ]
}
