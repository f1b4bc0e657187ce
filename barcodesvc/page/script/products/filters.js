/** What a list of products searches for and filters by: text, category, stock, and since when it moved. */

import { text } from '../language.js'
import { SeenValues } from '../seen_values.js'
import { Button, html, Select, useEffect, useRef, useSignal } from '../ui.js'
import { DAYS } from './query.js'
import { SearchField } from './search.js'

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
      <${Search} ...${{ query, isUnderWay, find, scan }} />
      <${Button} icon="settings" aria-expanded=${String(isOpen.value)} onclick=${() => (isOpen.value = !isOpen.value)}>
        <span class="word">${text('products.filter')}</span>${active > 0 && ` ${active}`}
      <//>
      <${SeenValues} id="categories" label=${text('product.category')} typed=${category} seen=${categories} choose=${choose} />
      <${Select} label=${text('product.current_level')} value=${query.stock} options=${named('products.stock', ['low', 'out'])}
        changed=${(/** @type {string} */ stock) => find({ stock })} />
      <${Select} label=${text('products.moved')} value=${query.moved} options=${named('products.moved', DAYS)}
        changed=${(/** @type {string} */ moved) => find({ moved })} />
    </div>`
}

/** @param {{query: ProductQuery, isUnderWay: boolean, find: (changed: Partial<ProductQuery>) => void, scan: (code: string) => void}} props */
function Search({ query: { search }, isUnderWay, find, scan }) {
  const typed = useSignal(search)
  const sent = useRef(search)
  useEffect(() => {
    if (search !== sent.current) typed.value = sent.current = search
  }, [search])
  const scanned = (/** @type {string} */ code, /** @type {string} */ before) => {
    typed.value = before
    scan(code)
  }
  return html`
    <${SearchField} class="search-text" label=${text('products.search')} typed=${typed} asked=${search} isUnderWay=${isUnderWay}
      find=${(/** @type {string} */ wanted) => find({ search: (sent.current = wanted) })} scanned=${scanned} />`
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
