/** Installs the service worker if the browser allows one: on this machine itself, or over HTTPS. */

/**
 * The worker, and its type: where the browser can call it when there is a network again (Background Sync), one that sends
 * waiting bookings too.
 */
const [ADDRESS, TYPE] = /** @type {[string, WorkerType]} */ (
  'SyncManager' in globalThis ? ['/sending-worker.js', 'module'] : ['/service-worker.js', 'classic']
)

/** Return whether this browser opens the page without the network; it may have refused to install the worker. */
export async function worksOffline() {
  const registration = await navigator.serviceWorker?.getRegistration().catch(() => undefined)
  return Boolean(registration?.active)
}

/** Install the service worker; if that fails, the page works without one, and tries again at its next start. */
export function install() {
  if (!('serviceWorker' in navigator)) return Promise.resolve(null)
  return navigator.serviceWorker
    .register(/** @type {string} */ (trusted(ADDRESS)), { type: TYPE, updateViaCache: 'none' })
    .catch(() => null)
}

/**
 * Return an address as this page's policy requires it: only the service worker's may become code.
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
