/**
 * Keys by which a printer's queue knows a request that it has already taken.
 *
 * Rule: the same labels have the same key until a response has come, and for a moment after that. So neither a lost response
 * nor a second press of the button prints twice, even if the page is loaded again in between. Each task of the
 * kiosk has another key, because scanning a product again prints it again.
 */

import { keptValue } from '../kept_value.js'

/** Milliseconds in which a second press is the same one. */
const SAME_PRESS = 2000

/** Milliseconds after which the same labels are meant again, although no response came. */
const FORGOTTEN = 3_600_000

/** The request of the last key; `taken` is when the queue took it, 0 for not yet. @typedef {{request: string, key: string, made: number, taken: number}} Last */

export class PrintKeys {
  #kept = keptValue('sessionStorage', 'barcodesvc.print-key')
  #newKey

  /** @param {() => string} newKey */
  constructor(newKey) {
    this.#newKey = newKey
  }

  /**
   * Return the key of a request.
   *
   * @param {string} request
   * @param {number} now
   */
  of(request, now) {
    const last = this.#last()
    const isSame =
      last?.request === request && (last.taken ? now - last.taken < SAME_PRESS : now - last.made < FORGOTTEN)
    if (isSame) return last.key
    const key = this.#newKey()
    this.#kept.store({ request, key, made: now, taken: 0 })
    return key
  }

  /**
   * Note that the queue has taken a request.
   *
   * @param {string} key
   * @param {number} now
   */
  taken(key, now) {
    const last = this.#last()
    if (last?.key === key && !last.taken) this.#kept.store({ ...last, taken: now })
  }

  /** Note that the same labels are another job now: theirs was cancelled. */
  forget() {
    this.#kept.store(null)
  }

  #last() {
    return /** @type {Last | null} */ (this.#kept.read())
  }
}
