/**
 * A booking: one change of a level that a person made by scanning, from the moment it is made.
 *
 * Rule: it stores the time by the device's clock, and when it is sent it says how long ago that was: the service subtracts
 * this from its own clock, so that a wrong clock does no harm. If the clock was set in between, the age is as wrong as the
 * step was, but no scan is ever of the future.
 *
 * @typedef {'waiting' | 'booked' | 'refused' | 'undone'} State
 *
 * @typedef {object} Booking
 * @property {number} id its place in the queue; the storage gives it
 * @property {string} key its idempotency key, the same for every attempt
 * @property {string} code the scanned text
 * @property {string} [type] its symbology, if the camera has read it
 * @property {number | null} delta the amount put in (over 0) or taken out (under 0)
 * @property {number | null} level the counted level, of a booking that sets one
 * @property {string} scannedAt ISO 8601, by the device's clock
 * @property {boolean} [sent] whether it may have been sent to the service; older pages did not store this
 * @property {string} author who books; empty in what older pages stored without a name, which is sent as it is
 * @property {string} [reason] why it was made; older pages did not store this
 * @property {State} state
 * @property {string} undoKey the idempotency key of its undo, or empty without one
 * @property {string} [undoAuthor] who takes it back, if not its author
 * @property {Result | null} result the service's result
 * @property {Problem | null} problem why the service refused it, or its undo
 *
 * @typedef {{productId: number, productCode: string, description: string, changeId: number, changedAt?: string, oldLevel: number, newLevel: number}} Result
 * of the service; older pages did not store `changedAt`, the time at which the change was written
 * @typedef {{code: string, message: string, details: any}} Problem
 */

/**
 * Return a booking that waits.
 *
 * @param {{code: string, type?: string, delta?: number, level?: number, reason?: string, author: string}} what
 * @param {Date} now
 * @returns {Omit<Booking, 'id'>}
 */
export function booking({ code, type, delta, level, reason, author }, now) {
  return {
    key: newKey(),
    code,
    ...(type && { type }),
    delta: delta ?? null,
    level: level ?? null,
    scannedAt: now.toISOString(),
    sent: false,
    author,
    reason: reason ?? '',
    state: 'waiting',
    undoKey: '',
    result: null,
    problem: null,
  }
}

/** Milliseconds by which a scan is said to be later than it was, at most. */
const MOST_LATER = 60_000

/**
 * Return how many milliseconds ago a scan was made, at least 0.
 *
 * One that was made while an earlier request was under way counts from the moment when that was answered: the service may
 * have received that request as late, and a count must not be before what its own device has changed.
 *
 * @param {string} scannedAt
 * @param {number} now
 * @param {number} answered when the last response came
 */
export function ageOf(scannedAt, now, answered) {
  const made = Date.parse(scannedAt)
  return Math.max(0, now - Math.max(made, Math.min(answered, made + MOST_LATER)))
}

/**
 * Return a level with the bookings of its product that the service has not counted yet, and the undos.
 *
 * @param {number} level
 * @param {Booking[]} unsettled oldest first
 */
export function levelAfter(level, unsettled) {
  return unsettled.reduce((before, { state, undoKey, delta, level: counted, result }) => {
    if (state === 'booked' && result) return before - (result.newLevel - result.oldLevel)
    return undoKey ? before : (counted ?? before + (delta ?? 0))
  }, level)
}

/** Return a new idempotency key: 128 random bits. `crypto.randomUUID` is missing over plain HTTP. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Return a booking as one of `scans` of `POST /api/codes/scans`.
 *
 * @param {Booking} booking
 * @param {number} age in milliseconds
 */
export function asScan({ key, code, type, delta, level, author, reason }, age) {
  return {
    code_data: code,
    ...(type ? { code_type: type } : {}),
    ...(level === null ? { delta } : { new_level: level }),
    idempotency_key: key,
    scanned_ago_ms: age,
    ...(author ? { updated_by: author } : {}),
    ...(reason ? { change_reason: reason } : {}),
  }
}
