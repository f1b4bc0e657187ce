/**
 * Reports that the page does not load: the browser is too old, its modules do not arrive because the service has another
 * version, or the network is gone. Its own address is the same in every version. Old browsers can read its syntax.
 */

/** Milliseconds that the page may take, on a slow phone too. */
const PATIENCE = 10000

/** Whether the browser lacks what Chrome 109, Safari 16 and Firefox 115 have. */
const isTooOld =
  !window.CSS ||
  !CSS.supports('container-type', 'inline-size') ||
  !('inert' in document.documentElement) ||
  !('timeout' in AbortSignal)

/** @param {string} id */
function show(id) {
  const found = document.getElementById(id)
  if (found) found.hidden = false
  return found
}

function warn() {
  if (isTooOld) show('too-old')
}

if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', warn)
else warn()

setTimeout(() => {
  if (document.body.dataset['view']) return
  const says = show('unloaded')
  const button = says && says.querySelector('button')
  if (button) button.addEventListener('click', () => location.reload())
}, PATIENCE)
