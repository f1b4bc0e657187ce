/**
 * The queue of this browser, with its storage and the service; one for the whole page.
 *
 * Rule: several tabs may send the same bookings at the same time. That costs a request, and counts once. What one tab
 * books, all of them show.
 */

import { ask } from '../api.js'
import { Queue } from './queue.js'
import { BookingStorage } from './storage.js'

/** Fires on the page when there is a reason to try again at once: the network is back, somebody looks at the page. */
const REASONS = /** @type {const} */ (['online', 'focus'])

/** @type {Promise<{queue: Queue, storage: BookingStorage}> | undefined} */
let opened

/** Return the queue and its storage. */
export function bookings() {
  opened ??= BookingStorage.open().then((storage) => ({ storage, queue: queueOf(storage) }))
  return opened
}

/** @param {BookingStorage} storage */
function queueOf(storage) {
  const service = {
    book: (/** @type {object[]} */ scans) => ask('POST', '/api/codes/scans', { body: { scans } }),
    undo: (/** @type {number} */ changeId, /** @type {object} */ body) =>
      ask('POST', `/api/inventory/changes/${changeId}/undo`, { body }),
  }
  const queue = new Queue(storage, service, pause)
  // what waits for days is not to go when the browser wants the room
  queue.addEventListener('pause', () => queue.paused && void navigator.storage?.persist?.())
  joinTabs(queue)
  return queue
}

/**
 * Show the other tabs of this browser what changes here, and hear what changes there.
 *
 * @param {Queue} queue
 */
function joinTabs(queue) {
  const tabs = new BroadcastChannel('bookings')
  queue.addEventListener('change', (event) => tabs.postMessage(/** @type {CustomEvent} */ (event).detail))
  tabs.addEventListener('message', ({ data }) => queue.dispatchEvent(new CustomEvent('elsewhere', { detail: data })))
}

/** Send what waits from an earlier visit, and, as soon as somebody looks at this tab, from one that was closed. */
export async function start() {
  const { queue } = await bookings()
  window.addEventListener('focus', () => queue.sendSoon())
  await queue.send()
}

/**
 * Wait so long, or until there is a reason to try again.
 *
 * @param {number} milliseconds
 * @returns {Promise<void>}
 */
function pause(milliseconds) {
  return new Promise((resolve) => {
    const reasons = new AbortController()
    const go = () => {
      clearTimeout(timer)
      reasons.abort()
      resolve()
    }
    const timer = setTimeout(go, milliseconds)
    for (const reason of REASONS) window.addEventListener(reason, go, { signal: reasons.signal })
  })
}
