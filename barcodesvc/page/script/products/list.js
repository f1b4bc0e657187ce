/** The catalogue as a list: searched as you type, filtered, sorted, page by page, with actions for the selected. */

import { envelope } from '../api.js'
import { element, fill } from '../dom.js'
import { text } from '../language.js'
import { latestOnly } from '../latest.js'
import { addressOf, ALL, isFiltered, nextSort, requestOf } from './query.js'
import { RowSelection } from './row_selection.js'
import { symbol } from '../symbols.js'
import { bulkActions } from './bulk_actions.js'
import { delayedDelete } from './delayed_delete.js'
import { failure } from '../failure.js'
import { whileLoading } from '../loading.js'
import { pager } from '../pager.js'
import { productFilters } from './filters.js'
import { ProductTable } from './table.js'

/** @typedef {import('./table.js').Product} Product */
/** @typedef {import('./query.js').ProductQuery} ProductQuery */

/**
 * @typedef {object} Wanted
 * @property {ProductQuery} query
 * @property {(query: ProductQuery) => void} moved called when the list asks for something else
 * @property {(code: string) => void} scan
 * @property {() => Node[]} starts what an empty catalogue offers
 * @property {AbortSignal} signal
 */

export class ProductList {
  /** @type {RowSelection<Product>} */
  #selection = new RowSelection()
  /** The products that were selected before they were deleted, by their ids. @type {Map<number, Product>} */
  #deselected = new Map()
  #sum = element('p', { class: 'soft', role: 'status' })
  #results = element('div', { class: 'fitting results' })
  #begin = latestOnly()
  #loading = Promise.resolve()
  #asked = new AbortController()
  /** Whether the list of this address was asked for. */
  #isAsked = false
  #open = ''
  /** @type {Product[]} */
  #products = []
  #wanted

  /** @param {Wanted} wanted */
  constructor(wanted) {
    this.#wanted = wanted
    this.query = wanted.query
    const { signal } = wanted
    signal.addEventListener('abort', () => this.#asked.abort())
    this.filters = productFilters(wanted.query, {
      filter: (changed) => this.#filter(changed),
      loaded: () => this.#loading,
      scan: wanted.scan,
      signal,
    })
    this.table = new ProductTable({
      sortBy: (field) => this.#ask({ sort: nextSort(this.query.sort, field), page: 1 }),
      choose: (category) => this.#filter({ category }),
      addressOf: (id) => addressOf(this.query, id),
      selection: this.#selection,
      selected: () => this.#showSelection(),
    })
    this.pages = pager((page) => this.#ask({ page }, true))
    this.deletion = delayedDelete({
      changed: () => void this.reload(),
      kept: (products) => void this.#keep(products),
      signal,
    })
    this.bulk = bulkActions({
      selection: this.#selection,
      changed: () => void this.reload(),
      cleared: () => (this.#showSelection(), this.#focusRows()),
      remove: (products) => this.remove(products),
      signal,
    })
    this.node = element(
      'section',
      { class: 'card', 'aria-label': text('products.list') },
      this.filters.node,
      this.bulk.node,
      this.#sum,
      this.#results,
      this.pages.node,
    )
  }

  /**
   * Show what an address asks for, unless it is shown already. A list that is not visible waits until it is.
   *
   * @param {ProductQuery} query
   * @param {boolean} isVisible
   */
  show(query, isVisible) {
    if (addressOf(query) !== addressOf(this.query)) this.#isAsked = false
    this.query = query
    this.filters.show(query)
    if (isVisible && !this.#isAsked) void this.reload()
  }

  /** Mark the product that is open next to the list. @param {string} id */
  mark(id) {
    this.#open = id
    this.table.current(id)
  }

  /** Load the list again. */
  reload() {
    this.#loading = this.#load()
    return this.#loading
  }

  /** Delete products after a while. @param {Product[]} products */
  remove(products) {
    for (const product of this.#selection.remove(products)) this.#deselected.set(product.id, product)
    this.deletion.begin(products)
  }

  /** Show products that are not deleted after all, selected as they were. @param {{id: number}[]} products */
  async #keep(products) {
    this.#selection.add(products.flatMap(({ id }) => this.#deselected.get(id) ?? []))
    this.#deselected.clear()
    await this.reload()
    this.#focusRows()
  }

  #focusRows() {
    if (this.table.node.isConnected) this.table.focusAll()
    else this.filters.focus()
  }

  /** @param {Partial<ProductQuery>} changed */
  #filter(changed) {
    this.#ask({ ...changed, page: 1 })
    this.filters.show(this.query)
  }

  /**
   * @param {Partial<ProductQuery>} changed
   * @param {boolean} [toTop]
   */
  #ask(changed, toTop = false) {
    this.query = { ...this.query, ...changed }
    this.#wanted.moved(this.query)
    void this.reload()
    if (toTop) void this.#loading.then(() => this.node.scrollIntoView())
  }

  async #load() {
    const isLast = this.#begin()
    this.#asked.abort()
    const { signal } = (this.#asked = new AbortController())
    if (this.#wanted.signal.aborted) return
    this.#isAsked = true
    this.#results.setAttribute('aria-busy', 'true')
    try {
      const request = envelope('GET', '/api/products', { query: requestOf(this.query, new Date()), signal })
      const found = await whileLoading(this.#results, request)
      if (isLast()) this.#fill(found.data, found.pagination)
    } catch (error) {
      if (signal.aborted || !isLast()) return
      this.#sum.textContent = ''
      this.pages.node.hidden = true
      const again = failure(error, () => void this.reload())
      fill(this.#results, again)
    }
    this.#results.removeAttribute('aria-busy')
  }

  /**
   * @param {Product[]} found
   * @param {import('../pager.js').Place} place
   */
  #fill(found, place) {
    this.#products = found.filter(({ id }) => !this.deletion.has(id))
    this.filters.seen(found.map((each) => each.category))
    const filtered = isFiltered(this.query)
    const count = place.total
    this.#sum.textContent = count || filtered ? text(filtered ? 'products.found' : 'products.sum', { count }) : ''
    this.pages.show(place)
    this.filters.node.hidden = count === 0 && !filtered
    this.table.show(this.#products, this.query.sort)
    this.table.current(this.#open)
    if (found.length) {
      if (!this.#results.contains(this.table.node)) fill(this.#results, this.table.node)
    } else fill(this.#results, count ? element('p', null, text('products.past-end')) : this.#nothing(filtered))
    this.#showSelection()
  }

  /** @param {boolean} filtered */
  #nothing(filtered) {
    const all = () => {
      this.#ask(ALL)
      this.filters.show(ALL)
      this.filters.focus()
    }
    if (!filtered) return nothingYet(this.#wanted.starts())
    const button = element('button', { type: 'button', onclick: all }, text('products.all'))
    return element(
      'div',
      { class: 'empty' },
      element('p', null, text('products.none')),
      element('div', { class: 'row' }, button),
    )
  }

  #showSelection() {
    this.bulk.show()
    this.table.mark()
  }
}

/** @param {Node[]} starts */
function nothingYet(starts) {
  return element(
    'div',
    { class: 'empty' },
    symbol('products'),
    element('p', { class: 'message' }, text('products.empty')),
    element('p', null, text('products.empty.how')),
    element('div', { class: 'row' }, ...starts),
  )
}
