/** Installs the service worker if the browser allows one: on this machine itself, or over HTTPS. */

import { workerAddress } from './worker_address.js'

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
    .register(workerAddress(ADDRESS), { type: TYPE, updateViaCache: 'none' })
    .catch(() => null)
}
