/**
 * The service worker of browsers with Background Sync: it also sends bookings that wait, once there is a network again,
 * even if the page is closed.
 *
 * Rule: it is a module, so that it sends by the code of the page. Browsers without Background Sync may know no such workers.
 */

// @ts-expect-error -- it is a script, whose types are checked as those of a worker
import '/service-worker.js'
import { sendOnce } from '{assets}/script/bookings/queue.js'
import { DATABASE } from '{assets}/script/bookings/sending.js'

self.addEventListener('sync', (event) => {
  const { waitUntil } = /** @type {any} */ (event)
  waitUntil.call(event, sendAll())
})

/** Send what waits; if that fails, the browser calls again later. */
async function sendAll() {
  await sendOnce(DATABASE)
  await navigator.clearAppBadge?.()
}
