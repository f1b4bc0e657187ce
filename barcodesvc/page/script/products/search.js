/**
 * A search for products as you type: a field and its matches, chosen by mouse, touch or arrow keys.
 *
 * Rule: Enter chooses the highlighted product, else the product whose code the text is, else the one that a scan of the
 * text names, such as that of a number typed without its spaces, else the first match; never one for an earlier text.
 */

import { ask } from '../api.js'
import { element, fill } from '../dom.js'
import { text } from '../language.js'
import { latestOnly } from '../latest.js'
import { resolveScan } from '../resolve_scan.js'
import { pauseBehind } from './search_pause.js'

/** Maximum number of offered products. */
const OFFERED = 8

/**
 * @param {(product: any) => void} choose
 * @param {(code: string) => void} scanned called with a code that a scanner typed into the field, or a person in full
 * @param {AbortSignal} signal
 */
export function productSearch(choose, scanned, signal) {
  return new ProductSearch(choose, scanned, signal).node
}

class ProductSearch {
  /**
   * @param {(product: any) => void} choose
   * @param {(code: string) => void} scanned
   * @param {AbortSignal} signal
   */
  constructor(choose, scanned, signal) {
    this.choose = choose
    this.scanned = scanned
    this.signal = signal
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.calm = undefined
    this.searching = latestOnly()
    /** @type {Promise<unknown>} */
    this.request = Promise.resolve()
    /** The text that the offered products match. */
    this.answered = ''
    this.list = element('ul', {
      class: 'offered',
      id: 'offered',
      role: 'listbox',
      'aria-label': text('search.found'),
      hidden: true,
      // a touch on an offered product must not close the list before it becomes a click
      onpointerdown: (/** @type {Event} */ event) => event.preventDefault(),
    })
    this.status = element('p', { class: 'soft message', role: 'status', hidden: true })
    this.field = this.searchField()
    const leave = (/** @type {FocusEvent} */ event) => this.onFocusOut(event)
    this.node = element('div', { class: 'search', onfocusout: leave }, this.field, this.list, this.status)
    signal.addEventListener('abort', () => clearTimeout(this.calm))
  }

  searchField() {
    return element('input', {
      type: 'search',
      role: 'combobox',
      'aria-controls': 'offered',
      'aria-expanded': 'false',
      'aria-autocomplete': 'list',
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
      maxlength: 500,
      placeholder: text('search.product'),
      'aria-label': text('search.product'),
      'data-takes-scans': true,
      oninput: () => {
        clearTimeout(this.calm)
        this.calm = setTimeout(() => void this.searchTyped(), pauseBehind(this.field.value.trim()))
      },
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.onKey(event),
      onscan: (/** @type {CustomEvent} */ event) => {
        this.close()
        this.scanned(event.detail)
      },
    })
  }

  /** Search for the typed text, after the previous search has ended: the service does not cancel that for a new one. */
  async searchTyped() {
    const typed = this.field.value
    await this.request
    if (typed === this.field.value && !this.signal.aborted) this.request = this.search()
  }

  /** Request and show the matches; returns the products, or null if the text has changed since, or none came. */
  async search() {
    clearTimeout(this.calm)
    const isLast = this.searching()
    const wanted = this.field.value.trim()
    const query = { search: wanted, limit: OFFERED }
    const found = wanted ? await ask('GET', '/api/products', { query, signal: this.signal }).catch(() => null) : []
    if (!isLast() || this.signal.aborted) return null
    this.answered = wanted
    this.show(found ?? [])
    if (!found) this.setMessage(text('unreachable'))
    else if (wanted && !found.length) this.setMessage(text('search.nothing'))
    return found
  }

  /** @param {any[]} found */
  show(found) {
    const options = found.map((product, index) =>
      element(
        'li',
        { role: 'option', id: `offered-${index}`, 'aria-selected': 'false', onclick: () => this.take(product) },
        element('span', { class: 'code' }, element('bdi', null, product.product_code)),
        ' ',
        element('bdi', null, product.description),
      ),
    )
    fill(this.list, ...options)
    this.list.hidden = options.length === 0
    this.field.setAttribute('aria-expanded', String(!this.list.hidden))
    this.field.removeAttribute('aria-activedescendant')
    this.setMessage('')
  }

  /** @param {string} message */
  setMessage(message) {
    this.status.hidden = message === ''
    this.status.textContent = message
  }

  /** @param {any} product */
  take(product) {
    this.close()
    this.choose(product)
    this.field.focus()
  }

  close() {
    clearTimeout(this.calm)
    this.searching()
    this.field.value = ''
    this.show([])
  }

  get options() {
    return /** @type {HTMLElement[]} */ ([...this.list.children])
  }

  async onEnter() {
    const wanted = this.field.value.trim()
    if (!wanted) return
    const marked = this.options.find((option) => option.getAttribute('aria-selected') === 'true')
    if (this.answered === wanted && marked) return marked.click()
    const found = await this.search()
    if (!found) return
    const [first] = found // the product with this code, if there is one
    const isOther = first && first.product_code !== wanted
    const named = isOther ? await resolveScan(wanted, this.signal).catch(() => null) : null
    if (this.field.value.trim() !== wanted) return
    if (first) return this.take(named ?? first)
    this.close()
    this.scanned(wanted)
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.key === 'Escape') return this.close()
    if (event.key === 'Enter') {
      event.preventDefault()
      return void this.onEnter()
    }
    const { options } = this
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!step || !options.length) return
    event.preventDefault()
    const current = options.findIndex((option) => option.getAttribute('aria-selected') === 'true')
    const next = current < 0 && step < 0 ? options.length - 1 : (current + step + options.length) % options.length
    options.forEach((option, index) => option.setAttribute('aria-selected', String(index === next)))
    options[next]?.scrollIntoView({ block: 'nearest' })
    this.field.setAttribute('aria-activedescendant', `offered-${next}`)
  }

  /** @param {FocusEvent} event */
  onFocusOut({ relatedTarget }) {
    if (!(relatedTarget instanceof Node) || !this.node.contains(relatedTarget)) this.show([])
  }
}
