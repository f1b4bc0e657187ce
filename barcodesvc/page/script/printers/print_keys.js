/**
 * Keys by which a printer's queue knows a request that it has already taken.
 *
 * Rule: the same labels have the same key until a response has come, and for a moment after that. So neither a lost response
 * nor a second press of the button prints twice, even if the page is loaded again in between. Each task of the
 * kiosk has another key, because scanning a product again prints it again.
 */

import { newKey } from '../bookings/booking.js'
import { keptValue } from '../settings.js'

/** Milliseconds in which a second press is the same one. */
const SAME_PRESS = 2000

/** Milliseconds after which the same labels are meant again, although no response came. */
const FORGOTTEN = 3_600_000

/** The request of the last key; `taken` is when the queue took it, 0 for not yet. @typedef {{request: string, key: string, made: number, taken: number}} Last */

const kept = keptValue('sessionStorage', 'barcodesvc.print-key')

/** @returns {Last | null} */
const last = () => /** @type {Last | null} */ (kept.read())

/**
 * Return the key of a request.
 *
 * @param {string} request
 * @param {number} now
 */
export function keyOf(request, now) {
  const before = last()
  const isSame =
    before?.request === request && (before.taken ? now - before.taken < SAME_PRESS : now - before.made < FORGOTTEN)
  if (isSame) return before.key
  const key = newKey()
  kept.store({ request, key, made: now, taken: 0 })
  return key
}

/** Note that the queue has taken the request of a key. @type {(key: string, now: number) => void} */
export function markTaken(key, now) {
  const before = last()
  if (before?.key === key && !before.taken) kept.store({ ...before, taken: now })
}

/** Note that the same labels are another job now: theirs was cancelled. */
export function forgetKey() {
  kept.store(null)
}
