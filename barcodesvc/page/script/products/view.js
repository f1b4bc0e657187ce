/**
 * The catalogue: a list, the product that is open next to it, and the import of spreadsheets. `#products/12?search=pen` is
 * one product in a list.
 *
 * Rule: one view shows list and product, so that neither loses what was typed or selected when the other changes. If the
 * screen has no room for both, styles hide the list while a product is open.
 */

import { element, fill } from '../dom.js'
import { requestedImport } from '../import/request.js'
import { text } from '../language.js'
import { openScanned } from '../open_scanned.js'
import { exportMenu } from '../export_menu.js'
import { ImportPanel } from '../import/panel.js'
import { fileButton, templateLink } from '../import/start.js'
import { newProduct } from './form.js'
import { ProductList } from './list.js'
import { addressOf, readQuery } from './query.js'
import { symbol } from '../symbols.js'
import { openProduct } from './product.js'

/** Screens with room for a list and a product; the same in style/products.css. */
const WIDE = '(min-width: 75rem)'

/**
 * @param {import('../router.js').Route} route
 * @returns {import('../router.js').View}
 */
export function open(route) {
  const view = new ProductsView(readQuery(route.query))
  view.follow(route)
  const requested = requestedImport()
  if (requested) view.take(requested)
  return {
    node: view.node,
    title: text('view.products'),
    scan: (code) => void view.scan(code),
    follow: (next) => view.follow(next),
    take: (file) => view.take(file),
    isTaking: () => view.panel.isBusy,
    close: () => view.close(),
  }
}

class ProductsView {
  #ended = new AbortController()
  #wide = matchMedia(WIDE)
  /** The product that is open. @type {import('./product.js').OpenProduct | null} */
  #product = null
  #id = ''
  /** Where the list was scrolled to before it was hidden. */
  #scrolled = 0
  /** The main action, except while an import is open. */
  #newButton = this.#createButton('main')

  /** @param {import('./query.js').ProductQuery} query */
  constructor(query) {
    const { signal } = this.#ended
    this.list = new ProductList({
      query,
      moved: (moved) => history.replaceState(null, '', addressOf(moved, this.#id)),
      scan: (code) => void this.scan(code),
      starts: () => [
        fileButton(text('import.choose'), (file) => this.take(file)),
        this.#createButton(''),
        templateLink(),
      ],
      signal,
    })
    this.panel = new ImportPanel(() => this.#closeImport(), signal)
    this.panel.node.hidden = true
    this.detail = element('div', { class: 'detail', hidden: true })
    this.node = element(
      'div',
      { class: 'products' },
      this.list.deletion.node,
      element('div', { class: 'stack list-side' }, this.#title(), this.panel.node, this.list.node),
      this.detail,
    )
    this.#wide.addEventListener('change', () => this.#showList(this.list.query), { signal })
  }

  close() {
    this.#product?.close()
    this.#ended.abort()
  }

  /**
   * Show what another address names, in the same view.
   *
   * @param {import('../router.js').Route} route
   */
  follow({ path, query }) {
    const [id = ''] = path
    if (id !== this.#id) this.#openProduct(id)
    this.#showList(readQuery(query))
    this.list.mark(id)
    return true
  }

  /** Import a file. @param {File} file */
  take(file) {
    this.#openImport()
    this.panel.take(file)
  }

  /**
   * Open the product of a code, unless something that was typed would be lost.
   *
   * @param {string} code
   */
  scan(code) {
    const isTyped = () => !this.panel.node.hidden || (this.#product?.isTyped() ?? false)
    return openScanned(code, isTyped, this.#ended.signal, (id) => this.#go(id))
  }

  #title() {
    const importButton = element(
      'button',
      { type: 'button', onclick: () => this.#openImport() },
      symbol('upload'),
      text('import.title'),
    )
    const menu = exportMenu('/api/products/export', this.#ended.signal)
    return element(
      'div',
      { class: 'row apart' },
      element('h1', null, text('view.products')),
      element('div', { class: 'row product-actions' }, this.#newButton, importButton, menu),
    )
  }

  /** @param {string} name of the class */
  #createButton(name) {
    const create = () => this.#create({})
    return element('button', { type: 'button', class: name, onclick: create }, symbol('add'), text('product.new'))
  }

  /** @param {Record<string, any>} known */
  #create(known) {
    newProduct(known, (product) => {
      void this.list.reload()
      this.#go(product.id)
    })
  }

  /** @param {number | string} id empty for the list alone */
  #go(id) {
    location.hash = addressOf(this.list.query, id)
  }

  /** @param {string} id empty for none */
  #openProduct(id) {
    const before = this.#id
    if (before === '') this.#scrolled = window.scrollY
    this.#id = id
    this.#product?.close()
    this.#product = id === '' ? null : openProduct(id, this.#actions())
    fill(this.detail, this.#product?.node)
    this.detail.hidden = id === ''
    this.node.classList.toggle('with-product', id !== '')
    if (this.#wide.matches) return
    window.scrollTo(0, id === '' ? this.#scrolled : 0)
    if (this.#product) this.#product.focus()
    else this.list.table.focus(before)
  }

  #actions() {
    return {
      list: () => addressOf(this.list.query),
      changed: () => void this.list.reload(),
      remove: (/** @type {any} */ product) => {
        this.#go('')
        this.#openProduct('')
        this.list.remove([product])
      },
    }
  }

  /** @param {import('./query.js').ProductQuery} query */
  #showList(query) {
    this.list.show(query, this.#id === '' || this.#wide.matches)
  }

  #openImport() {
    if (this.panel.isBusy) return
    if (this.#id !== '') {
      this.#go('')
      this.#openProduct('')
    }
    this.panel.open()
    this.panel.node.hidden = false
    this.list.node.hidden = true
    this.#newButton.classList.remove('main')
    this.panel.focus()
  }

  #closeImport() {
    this.panel.node.hidden = true
    this.list.node.hidden = false
    this.#newButton.classList.add('main')
    void this.list.reload()
    this.list.filters.focus()
  }
}
