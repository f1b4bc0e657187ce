/**
 * The products whose labels are to be printed, with their copies. They stay while another view is open, and when the page
 * is loaded again.
 *
 * Rule: what is chosen after a print begins a new selection. Other numbers of copies do not: they are for the same products.
 */

import { keptValue } from '../kept_value.js'

/** Labels of one document at most (the service's limit). */
export const MOST_LABELS = 10_000

/** @typedef {{id: number, product_code: string, description: string}} LabelledProduct */
/** @typedef {{product: LabelledProduct, copies: number}} Item */

export class LabelSelection {
  /** @type {Item[]} */
  items
  #isPrinted = false
  #kept

  /** @param {{read: () => unknown, store: (value: unknown) => void}} kept */
  constructor(kept) {
    this.#kept = kept
    const { items, isPrinted } = /** @type {any} */ (kept.read()) ?? {}
    this.items = Array.isArray(items) ? items.filter(isItem) : []
    this.#isPrinted = isPrinted === true
  }

  get count() {
    return this.items.reduce((total, { copies }) => total + copies, 0)
  }

  /** Whether the next product begins a new selection. */
  get isPrinted() {
    return this.#isPrinted && this.items.length > 0
  }

  /**
   * Add a product with one label, or one more label of it.
   *
   * @param {LabelledProduct} product
   */
  add({ id, product_code, description }) {
    if (this.#isPrinted) this.#set([])
    const present = this.items.find(({ product }) => product.id === id)
    if (present) return this.setCopies(present, present.copies + 1)
    this.#set([...this.items, { product: { id, product_code, description }, copies: 1 }])
  }

  /**
   * Choose these products, with one label of each that is not chosen yet.
   *
   * @param {LabelledProduct[]} products
   */
  choose(products) {
    if (this.#isPrinted) this.items = []
    const chosen = new Set(this.items.map(({ product }) => product.id))
    const added = products.filter(({ id }) => !chosen.has(id) && chosen.add(id))
    const items = added.map(({ id, product_code, description }) => ({
      product: { id, product_code, description },
      copies: 1,
    }))
    this.#set([...this.items, ...items])
  }

  /**
   * @param {Item} item
   * @param {number} copies
   */
  setCopies(item, copies) {
    item.copies = Math.min(MOST_LABELS, Math.max(1, copies))
    this.#set(this.items)
  }

  /** @param {Item} item */
  remove(item) {
    this.#set(this.items.filter((each) => each !== item))
  }

  clear() {
    this.#set([])
  }

  /** @param {boolean} isPrinted */
  markPrinted(isPrinted) {
    this.#isPrinted = isPrinted
    this.#keep()
  }

  /** @param {Item[]} items */
  #set(items) {
    this.items = items
    this.#isPrinted = false
    this.#keep()
  }

  #keep() {
    this.#kept.store({ items: this.items, isPrinted: this.#isPrinted })
  }
}

/** The selection of this tab. */
export const selection = new LabelSelection(keptValue('sessionStorage', 'barcodesvc.labels'))

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
