/**
 * The products whose labels are to be printed, with their copies. They stay while another view is open, and when the page
 * is loaded again.
 *
 * Rule: what is chosen after a print begins a new selection. Other numbers of copies do not: they are for the same products.
 */

import { keptValue } from '../settings.js'
import { LIMITS } from '../api.js'
import { signal } from '../ui.js'

/** @typedef {import('../types.js').LabelItem} Item */
/** @typedef {Omit<import('../types.js').LabelledProduct, 'attributes'> & {attributes?: object}} Product */

export class LabelSelection {
  #state
  #kept

  /** @param {{read: () => unknown, store: (value: unknown) => void}} kept */
  constructor(kept) {
    const { items, isPrinted } = /** @type {any} */ (kept.read()) ?? {}
    /** @type {Item[]} */
    const known = Array.isArray(items) ? items.filter(isItem) : []
    this.#kept = kept
    this.#state = signal({ items: known, isPrinted: isPrinted === true })
  }

  get items() {
    return this.#state.value.items
  }

  get count() {
    return this.items.reduce((total, { copies }) => total + copies, 0)
  }

  /** The names of the attributes that the products have. */
  get attributes() {
    return [...new Set(this.items.flatMap(({ product }) => product.attributes ?? []))]
  }

  /** Whether the next product begins a new selection. */
  get isPrinted() {
    return this.#state.value.isPrinted && this.items.length > 0
  }

  /**
   * Add a product with one label, or one more label of it.
   *
   * @param {Product} product
   */
  add(product) {
    const items = this.isPrinted ? [] : this.items
    const present = items.find((item) => item.product.id === product.id)
    if (present) this.setCopies(present, present.copies + 1)
    else this.#set([...items, itemOf(product)])
  }

  /**
   * Choose these products, with one label of each that is not chosen yet.
   *
   * @param {Product[]} products
   */
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
    this.#keep({ items: this.items, isPrinted })
  }

  /** @param {Item[]} items */
  #set(items) {
    this.#keep({ items, isPrinted: false })
  }

  /** @param {{items: Item[], isPrinted: boolean}} state */
  #keep(state) {
    this.#state.value = state
    this.#kept.store(state)
  }
}

/** The selection of this tab. */
export const selection = new LabelSelection(keptValue('sessionStorage', 'barcodesvc.labels'))

/** @type {(product: Product) => Item} */
function itemOf({ id, product_code, description, attributes = {} }) {
  return { product: { id, product_code, description, attributes: Object.keys(attributes) }, copies: 1 }
}

/**
 * @param {any} item
 * @returns {item is Item}
 */
function isItem(item) {
  return (
    Number.isSafeInteger(item?.copies) &&
    item.copies >= 1 &&
    Number.isSafeInteger(item.product?.id) &&
    typeof item.product.product_code === 'string'
  )
}
