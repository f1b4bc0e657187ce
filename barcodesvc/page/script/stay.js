/** Keeps a view open: the button, key or gesture for "back" stays at its address. */

/** @param {AbortSignal} signal */
export function stay(signal) {
  const again = () => history.pushState(null, '', location.href)
  again()
  window.addEventListener('popstate', again, { signal })
}
