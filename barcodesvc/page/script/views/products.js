/**
 * The catalogue: a list searched as you type, page by page; import and export of spreadsheets. `#products/12` is one
 * product.
 *
 * Rule: the search and the page are in the address, so that the back button leads to the same list.
 */

import { address, answer, Refusal } from '../api.js'
import { openDialog } from '../dialogs.js'
import { element, fill } from '../dom.js'
import { number } from '../formats.js'
import { text } from '../language.js'
import { requestedImport } from '../import_request.js'
import { announce } from '../notices.js'
import { failure, reasonOf } from '../parts/failure.js'
import { exportLinks } from '../parts/export_links.js'
import { fileDrop } from '../parts/file_drop.js'
import { fileButton, importPanel, templateLink } from '../parts/import_panel.js'
import { pager } from '../parts/pager.js'
import { newProduct } from '../parts/product_form.js'
import { lowMark, productLink } from '../parts/product_cells.js'
import { seenValues } from '../parts/seen_values.js'
import { resolveScan } from '../resolve_scan.js'
import { pauseBehind } from '../search_pause.js'
import { bad, good } from '../sounds.js'
import { symbol } from '../symbols.js'

/** Products of one page. */
const PAGE = 50

/** Categories that were seen since the page was opened. @type {Set<string>} */
const categories = new Set()

/** The list that was shown last. */
let last = '#products'

/** @typedef {{id: number, product_code: string, description: string, category: string, unit_of_measure: string, current_level: number, minimum_level: number}} Product */

/**
 * @param {import('../router.js').Way} way
 * @returns {Promise<import('../router.js').View>}
 */
export async function open(way) {
  if (!way.path[0]) return list(way.query)
  const product = await import('./product.js')
  return product.open(way.path[0], last)
}

/**
 * @param {URLSearchParams} query
 * @returns {import('../router.js').View}
 */
function list(query) {
  const ended = new AbortController()
  let wanted = {
    search: query.get('search') ?? '',
    category: query.get('category') ?? '',
    page: Math.max(1, Number(query.get('page')) || 1),
  }
  last = addressOf(wanted)
  let asked = new AbortController()
  let loading = Promise.resolve()
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let calm
  ended.signal.addEventListener('abort', () => (clearTimeout(calm), asked.abort()))

  const field = element('input', {
    type: 'search',
    value: wanted.search,
    maxlength: 500,
    autocomplete: 'off',
    spellcheck: 'false',
    'data-takes-scans': true,
    oninput: () => {
      clearTimeout(calm)
      calm = setTimeout(() => void search(), pauseBehind(field.value.trim()))
    },
    onscan: (/** @type {CustomEvent} */ event) => {
      clearTimeout(calm)
      void scan(event.detail)
    },
  })
  const category = seenValues({
    id: 'categories',
    label: text('product.category'),
    value: wanted.category,
    seen: categories,
    choose: (chosen) => show({ category: chosen, page: 1 }),
  })
  const sum = element('p', { class: 'soft', role: 'status' })
  const results = element('div', { class: 'fitting results' })
  const pages = pager((page) => show({ page }, true))
  const panel = importPanel(closeImport, ended.signal)
  panel.node.hidden = true
  const filters = element(
    'div',
    { class: 'row filters', role: 'search' },
    element('label', { class: 'grow' }, text('products.search'), field),
    category.node,
  )
  const catalogue = element(
    'section',
    { class: 'card', 'aria-label': text('products.list') },
    filters,
    sum,
    results,
    pages.node,
  )

  /**
   * @param {Partial<typeof wanted>} changed
   * @param {boolean} [toTop]
   */
  function show(changed, toTop = false) {
    wanted = { ...wanted, ...changed }
    last = addressOf(wanted)
    history.replaceState(null, '', last)
    loading = load(toTop)
  }

  /** Search for the typed text, after the previous search has ended: the service does not cancel that for a new one. */
  async function search() {
    const typed = field.value
    await loading
    if (typed === field.value && !ended.signal.aborted) show({ search: typed.trim(), page: 1 })
  }

  /** @param {boolean} [toTop] */
  async function load(toTop = false) {
    asked.abort()
    const mine = (asked = new AbortController())
    results.setAttribute('aria-busy', 'true')
    try {
      const asks = { ...wanted, limit: PAGE, include_levels: true }
      const found = await answer('GET', '/api/products', { query: asks, signal: mine.signal })
      fillIn(found.data, found.pagination)
      if (toTop) catalogue.scrollIntoView()
    } catch (error) {
      if (mine.signal.aborted) return
      sum.textContent = ''
      pages.node.hidden = true
      fill(
        results,
        failure(error, () => void load()),
      )
    }
    results.removeAttribute('aria-busy')
  }

  /**
   * @param {Product[]} products
   * @param {import('../parts/pager.js').Place} place
   */
  function fillIn(products, place) {
    category.add(products.map((each) => each.category))
    const filtered = wanted.search !== '' || wanted.category !== ''
    sum.textContent =
      place.total || filtered ? text(filtered ? 'products.found' : 'products.sum', { count: place.total }) : ''
    pages.show(place)
    filters.hidden = place.total === 0 && !filtered
    if (products.length) fill(results, table(products, category.set))
    else if (place.total) fill(results, element('p', null, text('products.past-end')))
    else fill(results, filtered ? nothingFound() : nothingYet())
  }

  function nothingFound() {
    const forget = () => {
      field.value = ''
      category.set('')
      show({ search: '', category: '', page: 1 })
      field.focus()
    }
    return element(
      'div',
      { class: 'empty' },
      element('p', null, text('products.none')),
      element('div', { class: 'row' }, element('button', { type: 'button', onclick: forget }, text('products.all'))),
    )
  }

  function nothingYet() {
    return element(
      'div',
      { class: 'empty' },
      symbol('products'),
      element('p', { class: 'says' }, text('products.empty')),
      element('p', null, text('products.empty.how')),
      element('div', { class: 'row' }, fileButton(text('import.choose'), take), createButton(), templateLink()),
    )
  }

  /** @param {File} file */
  function take(file) {
    openImport()
    panel.take(file)
  }

  function openImport() {
    panel.open()
    panel.node.hidden = false
    catalogue.hidden = true
    panel.focus()
  }

  function closeImport() {
    panel.node.hidden = true
    catalogue.hidden = false
    void load()
    field.focus()
  }

  /** Open the product of a code, unless an import is under way, which would be lost. @param {string} code */
  async function scan(code) {
    if (!panel.node.hidden) {
      bad()
      return announce(text('scan.rejected', { code }), 'bad')
    }
    try {
      const product = await resolveScan(code, ended.signal)
      if (openDialog()) return bad()
      good()
      location.hash = `#products/${product.id}`
    } catch (error) {
      if (ended.signal.aborted) return
      bad()
      if (openDialog()) return
      announce(reasonOf(error), 'bad')
      if (error instanceof Refusal && error.details.new_product) create(error.details.new_product)
    }
  }

  const node = element(
    'div',
    { class: 'view products' },
    element(
      'div',
      { class: 'row apart' },
      element('h1', null, text('view.products')),
      element(
        'div',
        { class: 'row' },
        createButton(),
        element('button', { type: 'button', onclick: openImport }, symbol('upload'), text('import.title')),
        ...exportLinks('/api/products/export'),
      ),
    ),
    panel.node,
    catalogue,
    fileDrop(text('import.drop'), take, ended.signal),
  )
  void load()
  const requested = requestedImport()
  if (requested) take(requested)
  return { node, title: text('view.products'), scan: (code) => void scan(code), close: () => ended.abort() }
}

/** @param {{search: string, category: string, page: number}} wanted */
function addressOf(wanted) {
  return address('#products', { ...wanted, page: wanted.page > 1 ? wanted.page : '' })
}

/** @param {Record<string, any>} known */
function create(known) {
  newProduct(known, (product) => (location.hash = `#products/${product.id}`))
}

function createButton() {
  return element(
    'button',
    { type: 'button', class: 'main', onclick: () => create({}) },
    symbol('add'),
    text('product.new'),
  )
}

/**
 * @param {Product[]} products
 * @param {(category: string) => void} choose
 */
function table(products, choose) {
  const head = element(
    'tr',
    null,
    element('th', { scope: 'col' }, text('product')),
    element('th', { scope: 'col', class: 'wide-only' }, text('product.category')),
    element('th', { scope: 'col', class: 'number' }, text('level')),
    element('th', { scope: 'col', class: 'number wide-only' }, text('product.minimum_level')),
  )
  return element(
    'table',
    null,
    element('thead', null, head),
    element('tbody', null, ...products.map((each) => line(each, choose))),
  )
}

/**
 * @param {Product} product
 * @param {(category: string) => void} choose
 */
function line({ id, product_code, description, category, unit_of_measure, current_level, minimum_level }, choose) {
  return element(
    'tr',
    null,
    element('td', null, productLink(id, product_code, description)),
    element(
      'td',
      { class: 'wide-only' },
      category &&
        element(
          'button',
          { type: 'button', class: 'plain', onclick: () => choose(category) },
          element('bdi', null, category),
        ),
    ),
    element(
      'td',
      { class: 'number' },
      number(current_level),
      ' ',
      element('bdi', { class: 'soft' }, unit_of_measure),
      lowMark(current_level, minimum_level),
    ),
    element('td', { class: 'number wide-only' }, number(minimum_level)),
  )
}
