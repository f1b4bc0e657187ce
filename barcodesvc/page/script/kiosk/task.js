/**
 * One task of the kiosk: a product and its copies, without its screen.
 *
 * Rule: a stray scan does not discard copies that a person has counted. Another product replaces the task only when it is
 * scanned twice in a row. Until then Enter does not print: a person who scans and presses Enter without a look at the
 * screen means the code that was scanned. More digits than copies can have are a code that a slow scanner typed, and set
 * nothing. A task that may be printed already stays as it is, so that it is printed again as the same job.
 */

/** Copies that a kiosk prints at most. */
export const MOST_COPIES = 500

const DIGITS = String(MOST_COPIES).length

/** @typedef {{id: number, product_code: string, description: string}} Product */

export class KioskTask {
  copies = 1
  /** Whether digits were typed that are not a number of copies; the Enter after them prints nothing. */
  isMistyped = false
  /** Whether another code was scanned last, so that Enter prints nothing until a person turns to this task again. */
  isLeft = false
  /** Whether it was sent to a printer, and no response has come. */
  isUnsure = false
  #typed = ''
  /** The product that replaces this one if it is scanned next. @type {number | null} */
  #instead = null
  /** The task before digits were typed. @type {{copies: number, isLeft: boolean, instead: number | null}} */
  #untyped = { copies: 1, isLeft: false, instead: null }

  /** @param {Product} product */
  constructor(product) {
    this.product = product
  }

  /** Whether something would be lost with this task. */
  get isWorthKeeping() {
    return this.copies > 1 || this.isUnsure
  }

  /**
   * Return what the scan of a product does: `more` of this one, print it `again`, `ask` before the task is replaced, or
   * `replace` it.
   *
   * @param {Product} product
   * @returns {'more' | 'again' | 'ask' | 'replace'}
   */
  scan({ id }) {
    if (id === this.product.id) {
      this.step(1)
      return this.isUnsure ? 'again' : 'more'
    }
    if (!this.isWorthKeeping || this.#instead === id) return 'replace'
    this.leave()
    this.#instead = id
    return 'ask'
  }

  /** Note that another code was scanned. */
  leave() {
    this.keep()
    this.isLeft = true
  }

  /** @param {number} by copies more, or fewer if negative */
  step(by) {
    this.#set(this.copies + by)
  }

  /**
   * Add typed digits to the number of copies; the first one replaces it. Returns whether the text was digits.
   *
   * @param {string} text
   */
  type(text) {
    if (!/^\d+$/.test(text)) return false
    if (this.isUnsure) return true
    if (this.#typed === '') this.#untyped = { copies: this.copies, isLeft: this.isLeft, instead: this.#instead }
    this.#instead = null
    this.isLeft = false
    this.#write((this.#typed + text).replace(/^0+/, '').slice(0, DIGITS + 1))
    return true
  }

  /** Take back the last typed digits, which were part of a code. @param {number} count */
  takeBack(count) {
    if (this.isUnsure) return
    this.#write(this.#typed.slice(0, -count))
    if (this.#typed !== '') return
    this.copies = this.#untyped.copies
    this.isLeft = this.#untyped.isLeft
    this.#instead = this.#untyped.instead
  }

  /** Delete the last typed digit. */
  erase() {
    const typed = this.#typed.slice(0, -1)
    this.clear()
    if (typed) this.type(typed)
  }

  /** Begin with one copy again. */
  clear() {
    this.#set(1)
  }

  /** End what was typed, and the question whether another product is wanted. */
  keep() {
    this.#typed = ''
    this.#instead = null
    this.isMistyped = false
  }

  /** @param {string} digits */
  #write(digits) {
    this.#typed = digits
    this.isMistyped = Number(digits) > MOST_COPIES
    this.copies = this.isMistyped ? 1 : Number(digits) || 1
  }

  /** @param {number} copies */
  #set(copies) {
    this.keep()
    this.isLeft = false
    if (!this.isUnsure) this.copies = Math.min(MOST_COPIES, Math.max(1, copies))
  }
}
