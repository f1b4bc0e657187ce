/**
 * Repeats something while the page is looked at: every few seconds, and at once when it comes into sight again, or the
 * network is back.
 */

/** Milliseconds between two repetitions, if nothing else is asked for. */
const EVERY = 10_000

/**
 * @param {() => Promise<unknown>} act one that is under way is not joined by another
 * @param {AbortSignal} signal ends it
 * @param {number} [every] milliseconds
 */
export function whileVisible(act, signal, every = EVERY) {
  let busy = false
  async function repeat() {
    if (busy || document.visibilityState !== 'visible') return
    busy = true
    await act().catch(() => undefined) // the network is gone: the next one follows
    busy = false
  }
  const timer = setInterval(() => void repeat(), every)
  document.addEventListener('visibilitychange', () => void repeat(), { signal })
  window.addEventListener('online', () => void repeat(), { signal })
  signal.addEventListener('abort', () => clearInterval(timer))
}
