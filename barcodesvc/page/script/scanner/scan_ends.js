/**
 * Remembers on this device whether its scans end with Enter or Tab. If they do, one that silence ends is incomplete.
 *
 * Rule: a scanner without Enter may replace one that sends it, so after a few scans without Enter none is expected.
 */

import { keptValue } from '../kept_value.js'

/** Scans without an Enter, one after the other, after which none is expected. */
const OTHER_SCANNER = 3

export class ScanEnds {
  #kept = keptValue('localStorage', 'barcodesvc.scans-end')
  #without = 0
  #isExpected = this.#kept.read() === true

  /** Whether the scans of this device end with Enter or Tab. */
  get isExpected() {
    return this.#isExpected
  }

  /** Note that a scan has ended with Enter or Tab. */
  ended() {
    this.#without = 0
    this.#expect(true)
  }

  /** Note that silence has ended a scan; return whether it is complete. */
  unended() {
    if (!this.isExpected) return true
    this.#without += 1
    if (this.#without < OTHER_SCANNER) return false
    this.#expect(false)
    return true
  }

  /** @param {boolean} isExpected */
  #expect(isExpected) {
    if (isExpected === this.#isExpected) return
    this.#isExpected = isExpected
    this.#kept.store(isExpected)
  }
}
