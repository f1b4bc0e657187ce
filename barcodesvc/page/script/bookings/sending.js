/** Loads the queue of this browser when a person books for the first time. */

import { needed } from '../version.js'

/**
 * @typedef {object} Bookings
 * @property {import('./queue.js').Queue} queue
 * @property {import('./storage.js').BookingStorage} storage
 * @property {typeof import('./booking.js').booking} booking makes a booking for the queue
 */

/** The database of this browser that stores the bookings. */
export const DATABASE = 'barcodesvc'

/** @type {Promise<Bookings> | null} */
let opening = null
/** @type {(opened: Bookings) => void} */
let tell
/** The same once it is open; waiting for this opens nothing. @type {Promise<Bookings>} */
export const opened = new Promise((resolve) => (tell = resolve))

/** Return the queue and its storage. After a failure, the next call tries again. */
export function bookings() {
  opening ??= needed(import('./opened.js')).then(({ open }) => open(DATABASE))
  opening.then(tell, () => (opening = null))
  return opening
}

/** Whether this browser may have bookings from an earlier visit. */
export async function hasBooked() {
  try {
    return (await indexedDB.databases()).some(({ name }) => name === DATABASE)
  } catch {
    return true // a browser that does not say, or stores nothing
  }
}
