/**
 * Reminds people of bookings that cannot be sent: a number on the app's icon, and a question before the window closes. The
 * browser is asked to send them without the page.
 *
 * Rule: this begins when sending fails, not with each booking, and ends when it succeeds.
 */

import { latestOnly } from '../latest.js'
import { fillsScreen } from '../router.js'

/** What the browser calls when there is a network again (Background Sync). */
const TAG = 'bookings'

/**
 * Tell how many bookings wait while they cannot be sent, whenever that has changed; at first at once.
 *
 * @param {import('./queue.js').Queue} queue
 * @param {{waiting: () => Promise<number>}} storage
 * @param {(count: number) => void} tell
 */
export function remind(queue, storage, tell) {
  const begin = latestOnly()
  let told = -1
  async function look() {
    const isLast = begin()
    const count = queue.paused ? await storage.waiting().catch(() => 0) : 0
    if (!isLast() || count === told) return
    told = count
    tell(count)
  }
  for (const type of ['pause', 'change', 'elsewhere']) queue.addEventListener(type, () => void look())
  void look()
}

/** @param {number} count */
export function tellBrowser(count) {
  const { setAppBadge, clearAppBadge } = navigator
  const badge = count ? setAppBadge?.call(navigator, count) : clearAppBadge?.call(navigator)
  badge?.catch(() => undefined) // no icon has a badge here
  if (count) window.addEventListener('beforeunload', askBeforeClosing)
  else window.removeEventListener('beforeunload', askBeforeClosing)
  if (count) void askToSend().catch(() => undefined) // it is sent when the page is open again
}

/** @param {Event} event */
function askBeforeClosing(event) {
  if (!fillsScreen(document.body.dataset['view'])) event.preventDefault()
}

/** Have the browser call the service worker when there is a network again, if it can. */
async function askToSend() {
  const registration = /** @type {any} */ (await navigator.serviceWorker?.getRegistration())
  await registration?.sync?.register(TAG)
}
