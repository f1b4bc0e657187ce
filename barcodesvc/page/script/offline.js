/** Installs the service worker where the browser allows one: on this machine itself, or by HTTPS. */

const ADDRESS = '/service-worker.js'

/** Whether this browser opens the page without the network, once it was opened. */
export function worksOffline() {
  return window.isSecureContext && 'serviceWorker' in navigator
}

/** Install the service worker; where that fails, the page is as good as without one, and tries at its next start. */
export async function install() {
  if (!worksOffline()) return
  await navigator.serviceWorker
    .register(/** @type {string} */ (trusted(ADDRESS)), { updateViaCache: 'none' })
    .catch(() => undefined)
}

/**
 * Return an address as the policy of this page demands it: the service worker's is the only one that becomes code.
 *
 * @param {string} address
 */
function trusted(address) {
  const types = /** @type {any} */ (window).trustedTypes
  if (!types) return address
  const policy = types.createPolicy('service-worker', {
    createScriptURL(/** @type {string} */ wanted) {
      if (wanted !== ADDRESS) throw new TypeError(`${wanted} is not the service worker`)
      return wanted
    },
  })
  return policy.createScriptURL(address)
}
