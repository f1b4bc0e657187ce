/**
 * The keys of minus and plus: which change the product on the panel, and which are part of a typed code.
 *
 * Rule: a sign is part of a code if another key follows it at once. Otherwise each press counts: another sign, or a scan, ends
 * the waiting of the one before.
 */

import { SIGN_WAITS } from '../scanner/typed_keys.js'

/** @type {Record<string, 1 | -1 | undefined>} */
const STEPS = { '+': 1, '-': -1 }

export class StepKeys {
  #step
  /** The step that waits for whether another key follows; 0 for none. @type {1 | -1 | 0} */
  #waiting = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer

  /** @param {(sign: 1 | -1) => void} step */
  constructor(step) {
    this.#step = step
  }

  /**
   * Process what was typed; return whether it is a step.
   *
   * @param {string} typed
   * @param {boolean} canStep whether there is a product to change
   */
  type(typed, canStep) {
    const sign = STEPS[typed]
    if (sign) this.end()
    else this.forget()
    if (!sign || !canStep) return false
    this.#waiting = sign
    this.wait()
    return true
  }

  /** Wait anew, since another key has just come. */
  wait() {
    if (!this.#waiting) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.end(), SIGN_WAITS)
  }

  /** Make the step that waits, if there is one. */
  end() {
    const sign = this.#waiting
    this.forget()
    if (sign) this.#step(sign)
  }

  /** Drop the step that waits: it is part of a code. */
  forget() {
    clearTimeout(this.#timer)
    this.#waiting = 0
  }
}
