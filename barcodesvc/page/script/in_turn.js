/** Order among things that take long: all in the order in which a person has begun them, or the last one alone. */

export class InTurn {
  /** @type {Promise<unknown>} */
  #last = Promise.resolve()
  #count = 0

  /** Whether something is under way, or waits for that. */
  get isBusy() {
    return this.#count > 0
  }

  /** Do something once all before it is done, whatever came of that. @param {() => unknown} action @returns {Promise<void>} rejected if the action fails */
  async take(action) {
    this.#count += 1
    const done = this.#last.then(action)
    this.#last = done.catch(() => undefined)
    try {
      await done
    } finally {
      this.#count -= 1
    }
  }
}

/** Return a function that begins a request, and returns one that tells whether that is still the last. @returns {() => () => boolean} */
export function latestOnly() {
  let last = 0
  return () => {
    const ticket = ++last
    return () => ticket === last
  }
}
