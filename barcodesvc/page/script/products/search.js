/**
 * Fields that search for products as you type, one search at a time: the service does not cancel one for another.
 *
 * Rule: the service has an index of each three characters (trigrams). If all words are shorter, they are compared with
 * every product, which takes seconds with a million of them; so they are searched only after a longer pause.
 */

import { ask, LIMITS } from '../api.js'
import { text } from '../language.js'
import { resolveScan } from '../resolve_scan.js'
import { html, useEffect, useLayoutEffect, useRef, useRequest, useSignal } from '../ui.js'

/** @typedef {import('../types.js').Product} Product */

/** Maximum number of offered products. */
const OFFERED = 8

/** Return the milliseconds after the last key before a search is sent. @param {string} typed */
export function pauseBehind(typed) {
  return typed === '' || typed.split(/\s+/).some((word) => [...word].length >= 3) ? 200 : 600
}

/**
 * A field that searches. A code that a scanner types into it goes to `scanned`, with the text before it; `asked` is what was
 * searched for last, and `isUnderWay` whether that goes on.
 *
 * @param {{label: string, typed: import('../types.js').Signal<string>, asked: string, isUnderWay: boolean, find: (wanted: string) => void, scanned: (code: string, before: string) => void} & Record<string, unknown>} props
 */
export function SearchField({ label, typed, asked, isUnderWay, find, scanned, field, ...more }) {
  const wanted = typed.value.trim()
  useEffect(() => {
    if (wanted === asked || isUnderWay) return undefined
    const timer = setTimeout(() => find(wanted), pauseBehind(wanted))
    return () => clearTimeout(timer)
  }, [wanted, asked, isUnderWay])
  return html`
    <input
      type="search" ref=${field} aria-label=${label} placeholder=${label} maxlength=${LIMITS.search} autocomplete="off"
      autocapitalize="off" spellcheck="false" data-takes-scans value=${typed} ...${more}
      onscan=${(/** @type {CustomEvent & {typed?: string}} */ { detail, typed: before = '' }) => scanned(detail, before)}
      oninput=${(/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) => (typed.value = currentTarget.value)}
    />`
}

/**
 * A field with the products that match, chosen by mouse, touch or arrow keys. Enter chooses the marked product, else the one
 * that a scan of the text names, such as that of a number typed without its spaces, else the first match; never one for an
 * earlier text. `scanned` is called with a code that a scanner typed, or a person in full, if nothing matches.
 *
 * @param {{field?: {current: HTMLInputElement | null}, id?: string, choose: (product: any) => void, scanned: (code: string) => void}} props `id` is that of the list
 */
export function ProductSearch({ field, id = 'offered', choose, scanned }) {
  const own = useRef(/** @type {HTMLInputElement | null} */ (null))
  const input = field ?? own
  const [typed, asked, marked, isLeft] = [useSignal(''), useSignal(''), useSignal(-1), useSignal(false)]
  const { data, error, isUnderWay } = useRequest((signal) => matching(asked.value, signal), [asked.value])
  const products = isLeft.value || error || !asked.value ? [] : (data ?? [])
  const nothing = error ? text('unreachable') : !isUnderWay && data?.length === 0 && text('search.nothing')

  const close = () => {
    typed.value = asked.value = ''
    marked.value = -1
  }
  const take = (/** @type {any} */ product) => {
    close()
    choose(product)
    input.current?.focus()
  }
  const enter = async () => {
    const wanted = typed.value.trim()
    if (!wanted) return
    if (asked.value === wanted && products[marked.value]) return take(products[marked.value])
    const { signal } = new AbortController()
    const named = await resolveScan(wanted, signal).catch(() => null)
    const found = named ? [named] : await matching(wanted, signal).catch(() => null)
    if (typed.value.trim() !== wanted) return
    if (!found) return void (asked.value = wanted) // which says that the service cannot be reached
    if (found[0]) return take(found[0])
    close()
    scanned(wanted)
  }
  const press = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === 'Escape') return close()
    const { length } = products
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Enter') void enter()
    else if (step && length) marked.value = (Math.max(marked.value, step < 0 ? 0 : -1) + step + length) % length
    else return
    event.preventDefault()
  }
  const combobox = {
    role: 'combobox',
    'aria-controls': id,
    'aria-expanded': String(products.length > 0),
    'aria-autocomplete': 'list',
    'aria-activedescendant': marked.value < 0 ? undefined : `${id}-${marked.value}`,
  }
  const leave = (/** @type {FocusEvent & {currentTarget: Element}} */ { currentTarget, relatedTarget }) =>
    void (isLeft.value = !(relatedTarget instanceof Node && currentTarget.contains(relatedTarget)))
  return html`
    <div class="search" onfocusout=${leave} oninput=${() => ((isLeft.value = false), (marked.value = -1))}>
      <${SearchField} label=${text('search.product')} typed=${typed} asked=${asked.value} isUnderWay=${isUnderWay} field=${input}
        find=${(/** @type {string} */ wanted) => (asked.value = wanted)} onkeydown=${press} ...${combobox}
        scanned=${(/** @type {string} */ code) => (close(), scanned(code))} />
      <${Offered} id=${id} products=${products} marked=${marked.value} take=${take} />
      <p class="soft message" role="status" hidden=${!asked.value || !nothing}>${asked.value && nothing}</p>
    </div>`
}

/** @param {{id: string, products: Product[], marked: number, take: (product: Product) => void}} props */
function Offered({ id, products, marked, take }) {
  const list = useRef(/** @type {HTMLElement | null} */ (null))
  useLayoutEffect(() => list.current?.children[marked]?.scrollIntoView({ block: 'nearest' }), [marked])
  const keepOpen = (/** @type {Event} */ event) => event.preventDefault() // until a touch has become a click
  return html`
    <ul class="offered" id=${id} role="listbox" aria-label=${text('search.found')} ref=${list}
      hidden=${products.length === 0} onpointerdown=${keepOpen}>
      ${products.map(
        (product, index) => html`
        <li key=${product.id} role="option" id=${`${id}-${index}`} aria-selected=${String(index === marked)} onclick=${() => take(product)}>
          <span class="code"><bdi>${product.product_code}</bdi></span>${' '}<bdi>${product.description}</bdi>
        </li>`,
      )}
    </ul>`
}

/** @param {string} search @param {AbortSignal} signal @returns {Promise<Product[]>} */
function matching(search, signal) {
  return search ? ask('GET', '/api/products', { query: { search, limit: OFFERED }, signal }) : Promise.resolve([])
}
