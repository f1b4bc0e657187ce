/** Loads the queue of this browser when a person books for the first time: the start view needs none of its bytes. */

import { needed } from '../service.js'

/** @typedef {{queue: import('./queue.js').Queue, storage: import('./storage.js').BookingStorage}} Bookings */

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
  opening ??= needed(import('./queue.js')).then(({ open }) => open(DATABASE))
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
