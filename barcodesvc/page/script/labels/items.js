/**
 * The products whose labels are to be printed, with their copies. They stay while another view is open, and when the page
 * is loaded again.
 *
 * Rule: what is chosen after a print begins a new selection. Other numbers of copies do not: they are for the same products.
 * A typed number counts at once, so that nothing that comes meanwhile replaces it. The first digits of a scan count as well
 * until the scanner is heard, and the field has its former number again.
 */

import { LIMITS } from '../api.js'
import { text } from '../language.js'
import { keptValue } from '../settings.js'
import { Step } from '../step.js'
import { wholeNumber } from '../formats.js'
import { html, IconButton, Initial, signal, useLayoutEffect, useRef, useSignal } from '../ui.js'

/** @typedef {import('../types.js').LabelItem} Item */
/** @typedef {{id: number, product_code: string, description: string, attributes?: object}} Product */

export class LabelSelection {
  #state
  #kept

  /** @param {{read: () => unknown, store: (value: unknown) => void}} kept */
  constructor(kept) {
    this.#kept = kept
    this.#state = signal(
      /** @type {{items: Item[], isPrinted: boolean}} */ (kept.read() ?? { items: [], isPrinted: false }),
    )
  }

  get items() {
    return this.#state.value.items
  }

  get count() {
    return this.items.reduce((total, { copies }) => total + copies, 0)
  }

  /** The names of the attributes that the products have. */
  get attributes() {
    return [...new Set(this.items.flatMap(({ product }) => product.attributes))]
  }

  /** Whether the next product begins a new selection. */
  get isPrinted() {
    return this.#state.value.isPrinted && this.items.length > 0
  }

  /** Add a product with one label, or one more label of it. @param {Product} product */
  add(product) {
    const present = !this.isPrinted && this.items.find((item) => item.product.id === product.id)
    if (present) this.setCopies(present, present.copies + 1)
    else this.choose([product])
  }

  /** Choose these products, with one label of each that is not chosen yet. @param {Product[]} products */
  choose(products) {
    const items = this.isPrinted ? [] : this.items
    const chosen = new Set(items.map(({ product }) => product.id))
    const added = products.filter(({ id }) => !chosen.has(id) && chosen.add(id))
    this.#set([...items, ...added.map(itemOf)])
  }

  /** @type {(item: Item, copies: number) => void} */
  setCopies({ product: { id } }, copies) {
    const set = Math.min(LIMITS.labels, Math.max(1, copies))
    this.#set(this.items.map((item) => (item.product.id === id ? { ...item, copies: set } : item)))
  }

  /** @param {Item} item */
  remove({ product: { id } }) {
    this.#set(this.items.filter((item) => item.product.id !== id))
  }

  clear() {
    this.#set([])
  }

  /** @param {boolean} isPrinted */
  markPrinted(isPrinted) {
    this.#set(this.items, isPrinted)
  }

  /** @type {(items: Item[], isPrinted?: boolean) => void} */
  #set(items, isPrinted = false) {
    this.#state.value = { items, isPrinted }
    this.#kept.store(this.#state.value)
  }
}

/** The selection of this tab. */
export const selection = new LabelSelection(keptValue('sessionStorage', 'barcodesvc.labels'))

/** @type {(product: Product) => Item} */
function itemOf({ id, product_code, description, attributes = {} }) {
  return { product: { id, product_code, description, attributes: Object.keys(attributes) }, copies: 1 }
}

/** The products to print, each with its number of labels. */
export function LabelItems() {
  const list = useRef(/** @type {HTMLElement | null} */ (null))
  const { items } = selection
  const known = useRef(items.length)
  useLayoutEffect(() => {
    // a product that is scanned is seen, even if the list is long
    if (items.length > known.current && list.current) list.current.scrollTop = list.current.scrollHeight
    known.current = items.length
  }, [items.length])
  return html`
    <ul class="items" ref=${list} aria-label=${text('labels.items')}>
      ${items.map((item) => html`<${Row} key=${item.product.id} item=${item} />`)}
    </ul>`
}

/** A product and its copies; the field has what is typed, until that is another number than what counts. @param {{item: Item}} props */
function Row({ item }) {
  const { copies, product } = item
  const { product_code: code, description } = product
  const typed = useSignal(String(copies))
  const shown = (wholeNumber(typed.value) ?? copies) === copies ? typed.value : String(copies)
  const step = (/** @type {number} */ by) => () => selection.setCopies(item, copies + by)
  const type = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget: { value } }) => {
    typed.value = value
    const wanted = wholeNumber(value)
    if (wanted) selection.setCopies(item, wanted)
  }
  return html`
    <li class="list-row item">
      <${Initial} name=${description} />
      <div>
        <bdi class="short">${description}</bdi>
        <bdi class="second code">${code}</bdi>
      </div>
      <div class="copies">
        <${Step} label=${text('labels.fewer')} sign="−" step=${step(-1)} />
        <input type="text" inputmode="numeric" autocomplete="off" aria-label=${text('labels.copies', { code })}
          value=${shown} oninput=${type} onchange=${() => (typed.value = String(copies))} />
        <${Step} label=${text('labels.more')} sign="+" step=${step(1)} />
        <${IconButton} icon="bad" label=${text('labels.remove', { code })} onclick=${() => selection.remove(item)} />
      </div>
    </li>`
}
