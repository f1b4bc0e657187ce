/** What a page does only while it is looked at: repeating something every few seconds, and keeping the screen on. */

/** Milliseconds between two repetitions, if nothing else is asked for. */
const EVERY = 10_000

/**
 * Repeat something, also at once when the page comes into sight again, or the network is back. One that is under way is not
 * joined by another.
 *
 * @param {() => Promise<unknown>} act
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

/** Keep the screen on, if the browser can. Its lock ends whenever the page is hidden. @param {AbortSignal} signal ends it */
export function keepScreenOn(signal) {
  /** @type {WakeLockSentinel | null | undefined} */
  let lock = null

  async function request() {
    if (document.visibilityState !== 'visible') return
    const granted = await navigator.wakeLock?.request('screen').catch(() => null) // undefined over plain HTTP
    if (signal.aborted) void granted?.release()
    else lock = granted
  }

  document.addEventListener('visibilitychange', () => void request(), { signal })
  signal.addEventListener('abort', () => void lock?.release())
  void request()
}
