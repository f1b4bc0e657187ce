/**
 * A search for products as you type: a field and its matches, chosen by mouse, touch or arrow keys.
 *
 * Rule: Enter chooses the highlighted product, else the product whose code the text is, else the one that a scan of the
 * text names, such as that of a number typed without its spaces, else the first match; never one for an earlier text.
 */

import { ask } from '../api.js'
import { element, fill } from '../dom.js'
import { text } from '../language.js'
import { resolveScan } from '../resolve_scan.js'
import { pauseBehind } from '../search_pause.js'

/** Maximum number of offered products. */
const OFFERED = 8

/**
 * @param {(product: any) => void} choose
 * @param {(code: string) => void} scanned called with a code that a scanner typed into the field, or a person in full
 * @param {AbortSignal} signal
 */
export function productSearch(choose, scanned, signal) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let calm
  let turn = 0
  /** @type {Promise<unknown>} */
  let asking = Promise.resolve()
  /** The text that the offered products match. */
  let answered = ''
  const list = element('ul', {
    class: 'offered',
    id: 'offered',
    role: 'listbox',
    'aria-label': text('search.found'),
    hidden: true,
  })
  const says = element('p', { class: 'soft says', role: 'status', hidden: true })
  const field = element('input', {
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
      clearTimeout(calm)
      calm = setTimeout(() => void searchTyped(), pauseBehind(field.value.trim()))
    },
    onkeydown: (/** @type {KeyboardEvent} */ event) => key(event),
    onscan: (/** @type {CustomEvent} */ event) => {
      close()
      scanned(event.detail)
    },
  })
  signal.addEventListener('abort', () => clearTimeout(calm))

  /** Search for the typed text, after the previous search has ended: the service does not cancel that for a new one. */
  async function searchTyped() {
    const typed = field.value
    await asking
    if (typed === field.value && !signal.aborted) asking = search()
  }

  /** Request and show the matches; returns the products, or null if the text has changed since, or none came. */
  async function search() {
    clearTimeout(calm)
    const mine = ++turn
    const wanted = field.value.trim()
    const found = wanted
      ? await ask('GET', '/api/products', { query: { search: wanted, limit: OFFERED }, signal }).catch(() => null)
      : []
    if (mine !== turn || signal.aborted) return null
    answered = wanted
    show(found ?? [])
    if (!found) say(text('unreachable'))
    else if (wanted && !found.length) say(text('search.nothing'))
    return found
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
    say('')
  }

  /** @param {string} message */
  function say(message) {
    says.hidden = message === ''
    says.textContent = message
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

  async function enter() {
    const wanted = field.value.trim()
    if (!wanted) return
    const options = /** @type {HTMLElement[]} */ ([...list.children])
    const marked = options.find((option) => option.getAttribute('aria-selected') === 'true')
    if (answered === wanted && marked) return marked.click()
    const found = await search()
    if (!found) return
    const first = found.find((/** @type {any} */ { product_code }) => product_code === wanted)
    const named = first ?? (found.length ? await resolved(wanted) : null)
    if (field.value.trim() !== wanted) return
    if (named ?? found[0]) return take(named ?? found[0])
    close()
    scanned(wanted)
  }

  /**
   * Return the product that a scan of a text names, or null.
   *
   * @param {string} code
   */
  function resolved(code) {
    return resolveScan(code, signal).catch(() => null)
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    if (event.key === 'Escape') return close()
    if (event.key === 'Enter') {
      event.preventDefault()
      return void enter()
    }
    const options = /** @type {HTMLElement[]} */ ([...list.children])
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!step || !options.length) return
    event.preventDefault()
    const current = options.findIndex((option) => option.getAttribute('aria-selected') === 'true')
    const next = current < 0 && step < 0 ? options.length - 1 : (current + step + options.length) % options.length
    options.forEach((option, index) => option.setAttribute('aria-selected', String(index === next)))
    options[next]?.scrollIntoView({ block: 'nearest' })
    field.setAttribute('aria-activedescendant', `offered-${next}`)
  }

  /** @param {FocusEvent} event */
  function left(event) {
    if (!(event.relatedTarget instanceof Node) || !node.contains(event.relatedTarget)) show([])
  }

  // a touch on an offered product must not close the list before it becomes a click
  list.addEventListener('pointerdown', (event) => event.preventDefault())
  const node = element('div', { class: 'search', onfocusout: left }, field, list, says)
  return node
}
