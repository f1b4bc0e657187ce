/**
 * The workers of the page: the service worker, which opens the page without the network if the browser allows one (on this
 * machine itself, or over HTTPS), and the one that reads codes on pictures.
 *
 * Rule: the page's policy lets only the scripts named here become workers.
 */

/** The script that reads codes on pictures. */
export const READING_WORKER = new URL('../reading-worker.js', import.meta.url).href

/** Where the browser can call the worker when there is a network again (Background Sync), it sends waiting bookings too. */
const [ADDRESS, TYPE] = /** @type {[string, WorkerType]} */ (
  'SyncManager' in globalThis ? ['/sending-worker.js', 'module'] : ['/service-worker.js', 'classic']
)

const policy = /** @type {any} */ (window).trustedTypes?.createPolicy('service-worker', {
  createScriptURL(/** @type {string} */ wanted) {
    if (![ADDRESS, READING_WORKER].includes(wanted)) throw new TypeError(`${wanted} is no worker of this page`)
    return wanted
  },
})

/** Return the address of a worker as the policy wants it. @param {string} address @returns {string} */
export function workerAddress(address) {
  return policy ? policy.createScriptURL(address) : address
}

/** Return whether this browser opens the page without the network; it may have refused to install the worker. */
export async function worksOffline() {
  const registration = await navigator.serviceWorker?.getRegistration().catch(() => undefined)
  return Boolean(registration?.active)
}

/** Install the service worker; if that fails, the page works without one, and tries again at its next start. */
export function install() {
  if (!('serviceWorker' in navigator)) return Promise.resolve(null)
  return navigator.serviceWorker
    .register(workerAddress(ADDRESS), { type: TYPE, updateViaCache: 'none' })
    .catch(() => null)
}
