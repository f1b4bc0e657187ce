/**
 * Handles what a person scans, types and enters at a kiosk in this order, however late the service responds. It knows
 * nothing of the screen.
 *
 * Rule: nothing is lost, and an Enter is for the scan before it.
 */

import { InTurn } from '../in_turn.js'

/** @template Found @typedef {{found: Found} | {error: unknown}} Outcome of a look-up */

export class KioskInputs {
  #turns = new InTurn()
  /** Scans that are looked up, or wait for one. @type {Set<Promise<unknown>>} */
  #pending = new Set()
  #ending = new AbortController()

  /** Whether a scan is looked up, so that what follows waits for it. */
  get isPending() {
    return this.#pending.size > 0
  }

  /** Whether anything is under way. */
  get isBusy() {
    return this.#turns.isBusy
  }

  /**
   * Look up a scan at once, and do something about it in its turn.
   *
   * @template Found
   * @param {(signal: AbortSignal) => Promise<Found>} lookUp
   * @param {(outcome: Promise<Outcome<Found>>, signal: AbortSignal) => unknown} action not called, or `signal` aborts, if
   *   a person cancels
   */
  scan(lookUp, action) {
    const { signal } = this.#ending
    const looked = lookUp(signal).then(
      (found) => ({ found }),
      (error) => ({ error }),
    )
    const known = () => looked.finally(() => this.#pending.delete(looked))
    this.#pending.add(looked)
    this.take(() => action(known(), signal))
  }

  /**
   * Do something after all before it, unless a person cancels that.
   *
   * @param {() => unknown} action
   */
  take(action) {
    const { signal } = this.#ending
    void this.#turns.take(() => (signal.aborted ? undefined : action()))
  }

  /** Forget all that waits. */
  cancel() {
    this.#ending.abort()
    this.#ending = new AbortController()
    this.#pending.clear()
  }
}
