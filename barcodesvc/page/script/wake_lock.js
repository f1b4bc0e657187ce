/** Keeps the screen on, if the browser can. */

/**
 * The lock ends whenever the page is hidden, so it is requested again when the page is seen.
 *
 * @param {AbortSignal} signal ends it
 */
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
