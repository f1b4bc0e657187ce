/**
 * A deletion that is sent only after a while, in which it can be taken back.
 *
 * Rule: a page that is left deletes nothing.
 */

/** Milliseconds until it is sent. */
export const DELAY = 10_000

/** @typedef {{set: (action: () => void, delay: number) => any, clear: (timer: any) => void}} Timer */

/** @type {Timer} */
const REAL = { set: (action, delay) => setTimeout(action, delay), clear: (timer) => clearTimeout(timer) }

/** @template Item */
export class PendingDelete {
  /** @type {Item[]} */
  #items = []
  /** @type {any} */
  #running
  #send
  #timer

  /**
   * @param {(items: Item[]) => void} send
   * @param {Timer} [timer]
   */
  constructor(send, timer = REAL) {
    this.#send = send
    this.#timer = timer
  }

  get items() {
    return this.#items
  }

  /**
   * Begin to delete these, together with those that wait already, which then wait as long.
   *
   * @param {readonly Item[]} items
   */
  begin(items) {
    this.#timer.clear(this.#running)
    this.#items = [...this.#items, ...items]
    this.#running = this.#timer.set(() => this.#send(this.cancel()), DELAY)
  }

  /** Delete nothing; return what would have been deleted. */
  cancel() {
    const items = this.#items
    this.#timer.clear(this.#running)
    this.#items = []
    return items
  }
}
