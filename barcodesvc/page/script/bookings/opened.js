/**
 * The queue of this browser, with its storage and the service; one for the whole page.
 *
 * Rule: several tabs may send the same bookings at the same time. This costs a request, and each still counts once. All
 * tabs show what any of them books.
 */

import { ask, Unreachable } from '../api.js'
import { rememberLevels } from '../catalogue/copy.js'
import { booking } from './booking.js'
import { Queue } from './queue.js'
import { BookingStorage } from './storage.js'
import { remind, tellBrowser } from './unsent.js'

/** Events after which the page tries again at once: the network is back, or a person looks at the page. */
const REASONS = /** @type {const} */ (['online', 'focus', 'pageshow', 'visibilitychange'])

/**
 * Open the queue of this browser, and send what waits in it from an earlier visit. When a person looks at this tab, also
 * send what a closed tab has left.
 *
 * @param {string} database
 */
export async function open(database) {
  const storage = await BookingStorage.open(database)
  const queue = queueOf(storage, pause)
  remind(queue, storage, tellBrowser)
  for (const reason of REASONS) window.addEventListener(reason, () => queue.sendSoon())
  queue.sendSoon()
  return { queue, storage, booking }
}

/**
 * Send what waits, without a page.
 *
 * @param {string} database
 * @throws {Unreachable} if some bookings still wait
 */
export async function sendOnce(database) {
  const later = () => Promise.reject(new Unreachable('some bookings wait on'))
  await queueOf(await BookingStorage.open(database), later).send()
}

/**
 * @param {BookingStorage} storage
 * @param {(milliseconds: number) => Promise<void>} wait after a failed attempt
 */
function queueOf(storage, wait) {
  const service = {
    book: async (/** @type {object[]} */ scans) => {
      const envelopes = await ask('POST', '/api/codes/scans', { body: { scans } })
      void rememberLevels(levelsOf(envelopes))
      return envelopes
    },
    undo: async (/** @type {number} */ changeId, /** @type {object} */ body) => {
      const change = await ask('POST', `/api/inventory/changes/${changeId}/undo`, { body })
      void rememberLevels(new Map([[change.product_id, change.new_level]]))
      return change
    },
  }
  const queue = new Queue(storage, service, wait)
  // the browser must not delete bookings that wait for days when it needs space
  queue.addEventListener('change', () => void navigator.storage?.persist?.(), { once: true })
  joinTabs(queue)
  return queue
}

/**
 * Return the levels after some scans, by the ids of their products.
 *
 * @param {any[]} envelopes
 * @returns {Map<number, number>}
 */
function levelsOf(envelopes) {
  const booked = envelopes.filter((each) => each?.success && each.data.inventory)
  return new Map(booked.map(({ data: { product, inventory } }) => [product.id, inventory.current_level]))
}

/**
 * Show the other tabs of this browser what changes here, and receive their changes.
 *
 * @param {Queue} queue
 */
function joinTabs(queue) {
  const tabs = new BroadcastChannel('bookings')
  queue.addEventListener('change', (event) => tabs.postMessage(/** @type {CustomEvent} */ (event).detail))
  tabs.addEventListener('message', ({ data }) => queue.dispatchEvent(new CustomEvent('elsewhere', { detail: data })))
}

/**
 * Wait for this time, or until there is a reason to try again.
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
