/** Sends one request for each of many items, a few at a time, and keeps what went wrong. */

/** Requests at a time. */
const AT_ONCE = 4

/**
 * Send a request for each item, and return the failed ones with their errors. After `signal` aborts, none begins: the
 * remaining ones have failed, too.
 *
 * @template Item
 * @param {readonly Item[]} items
 * @param {(item: Item) => Promise<unknown>} send
 * @param {AbortSignal} signal
 * @param {(done: number) => void} [progress]
 * @returns {Promise<{item: Item, error: unknown}[]>}
 */
export async function sendEach(items, send, signal, progress) {
  /** @type {{item: Item, error: unknown}[]} */
  const failed = []
  const remaining = [...items]
  let done = 0
  async function work() {
    while (remaining.length > 0 && !signal.aborted) {
      const item = /** @type {Item} */ (remaining.shift())
      await send(item).catch((error) => failed.push({ item, error }))
      progress?.(++done)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return [...failed, ...remaining.map((item) => ({ item, error: signal.reason }))]
}
