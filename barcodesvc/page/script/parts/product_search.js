/** A search for products while somebody types: a field and what fits, chosen by mouse, touch or arrow keys. */

import { ask } from '../api.js'
import { element, fill } from '../dom.js'
import { text } from '../language.js'

/** Milliseconds after the last key before the service is asked. */
const CALM = 150

/** Products that are offered. */
const OFFERED = 8

/**
 * @param {(product: any) => void} choose
 * @param {(code: string) => void} scanned called with a code that a scanner typed into the field
 * @param {AbortSignal} signal
 */
export function productSearch(choose, scanned, signal) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let calm
  let turn = 0
  const list = element('ul', {
    class: 'offered',
    id: 'offered',
    role: 'listbox',
    'aria-label': text('search.found'),
    hidden: true,
  })
  const field = element('input', {
    type: 'search',
    role: 'combobox',
    'aria-controls': 'offered',
    'aria-expanded': 'false',
    'aria-autocomplete': 'list',
    autocomplete: 'off',
    spellcheck: 'false',
    maxlength: 500,
    placeholder: text('search.product'),
    'aria-label': text('search.product'),
    'data-takes-scans': true,
    oninput: () => {
      clearTimeout(calm)
      calm = setTimeout(() => void search(), CALM)
    },
    onkeydown: (/** @type {KeyboardEvent} */ event) => key(event),
    onscan: (/** @type {CustomEvent} */ event) => {
      close()
      scanned(event.detail)
    },
  })
  signal.addEventListener('abort', () => clearTimeout(calm))

  async function search() {
    const mine = ++turn
    const wanted = field.value.trim()
    const found = wanted
      ? await ask('GET', '/api/products', { query: { search: wanted, limit: OFFERED }, signal }).catch(() => [])
      : []
    if (mine === turn) show(found)
  }

  /** @param {any[]} found */
  function show(found) {
    const options = found.map((product, index) =>
      element(
        'li',
        { role: 'option', id: `offered-${index}`, 'aria-selected': 'false', onclick: () => take(product) },
        element('span', { class: 'code' }, element('bdi', null, product.product_code)),
        ' ',
        element('bdi', null, product.description),
      ),
    )
    fill(list, ...options)
    list.hidden = options.length === 0
    field.setAttribute('aria-expanded', String(!list.hidden))
    field.removeAttribute('aria-activedescendant')
  }

  /** @param {any} product */
  function take(product) {
    close()
    choose(product)
    field.focus()
  }

  function close() {
    clearTimeout(calm)
    turn += 1
    field.value = ''
    show([])
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    const options = /** @type {HTMLElement[]} */ ([...list.children])
    const current = options.findIndex((option) => option.getAttribute('aria-selected') === 'true')
    if (event.key === 'Escape') return close()
    if (event.key === 'Enter') {
      event.preventDefault()
      return options[Math.max(current, 0)]?.click()
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!step || !options.length) return
    event.preventDefault()
    const next = (current + step + options.length) % options.length
    options.forEach((option, index) => option.setAttribute('aria-selected', String(index === next)))
    field.setAttribute('aria-activedescendant', `offered-${next}`)
  }

  return element('div', { class: 'search' }, field, list)
}
