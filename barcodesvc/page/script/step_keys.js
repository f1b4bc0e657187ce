/**
 * The keys of minus and plus: which change the product on the panel, and which are part of a typed code.
 *
 * Rule: a sign is part of a code if another key follows it at once, or came shortly before it. Otherwise each press counts:
 * another sign, or a scan, ends the waiting of the one before.
 */

/** Milliseconds in which another key makes a sign a part of a code, after it and before it. */
const FOLLOWED = 400
const PAUSE = 1000

/** @type {Record<string, 1 | -1 | undefined>} */
const STEPS = { '+': 1, '-': -1 }

export class StepKeys {
  #step
  /** The step that waits for whether another key follows; 0 for none. @type {1 | -1 | 0} */
  #waiting = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer
  /** When a key other than a sign or a digit was typed. */
  #otherAt = -Infinity

  /** @param {(sign: 1 | -1) => void} step */
  constructor(step) {
    this.#step = step
  }

  /**
   * Process what was typed; return whether it is a step.
   *
   * @param {string} typed
   * @param {boolean} canStep whether there is a product to change
   * @param {number} [now] milliseconds of any clock
   */
  type(typed, canStep, now = performance.now()) {
    const sign = STEPS[typed]
    if (sign) this.end()
    else this.#forget()
    if (!sign && !/^\d$/.test(typed)) this.#otherAt = now
    if (!sign || !canStep || now - this.#otherAt < PAUSE) return false
    this.#waiting = sign
    this.#timer = setTimeout(() => this.end(), FOLLOWED)
    return true
  }

  /** Make the step that waits, if there is one. */
  end() {
    const sign = this.#waiting
    this.#forget()
    if (sign) this.#step(sign)
  }

  #forget() {
    clearTimeout(this.#timer)
    this.#waiting = 0
  }
}
