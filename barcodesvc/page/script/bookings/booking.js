/**
 * A booking: one change of a level that somebody made by scanning, from the moment it is made.
 *
 * @typedef {'waiting' | 'booked' | 'refused' | 'undone'} State
 *
 * @typedef {object} Booking
 * @property {number} id its place in the queue; the storage gives it
 * @property {string} key the idempotency key under which it is sent, however often
 * @property {string} code what was scanned
 * @property {number | null} delta the amount put in (over 0) or taken out (under 0)
 * @property {number | null} level the level that was counted, of a booking that sets one
 * @property {string} scannedAt ISO 8601; empty where nobody knows it by the service's clock
 * @property {boolean} timed whether that is by the service's clock, and not by the device's
 * @property {string} author
 * @property {State} state
 * @property {string} undoKey the idempotency key of its undoing, or empty where nobody undoes it
 * @property {Result | null} result what the service answered
 * @property {Problem | null} problem why the service refused it, or its undoing
 *
 * @typedef {{productId: number, productCode: string, description: string, changeId: number, oldLevel: number, newLevel: number}} Result
 * @typedef {{code: string, message: string, details: any}} Problem
 */

/**
 * Return a booking that waits.
 *
 * @param {{code: string, delta?: number, level?: number, author: string}} what
 * @param {Date} now
 * @returns {Omit<Booking, 'id'>}
 */
export function booking({ code, delta, level, author }, now) {
  return {
    key: newKey(),
    code,
    delta: delta ?? null,
    level: level ?? null,
    scannedAt: now.toISOString(),
    timed: false,
    author,
    state: 'waiting',
    undoKey: '',
    result: null,
    problem: null,
  }
}

/**
 * Return a booking with the time of its scan by the service's clock, where that is known; else without a time.
 *
 * @template {Omit<Booking, 'id'>} Made
 * @param {Made} made
 * @param {import('../service_clock.js').ServiceClock} clock
 * @returns {Made}
 */
export function timed(made, clock) {
  return { ...made, timed: true, scannedAt: clock.known ? clock.timeOf(made.scannedAt) : '' }
}

/** Return a new idempotency key: 128 random bits. `crypto.randomUUID` is missing where the page comes by plain HTTP. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Return a booking as one of `scans` of `POST /api/codes/scans`.
 *
 * @param {Booking} booking
 */
export function asScan({ key, code, delta, level, scannedAt, author }) {
  return {
    code_data: code,
    ...(level === null ? { delta } : { new_level: level }),
    idempotency_key: key,
    ...(scannedAt ? { scanned_at: scannedAt } : {}),
    ...(author ? { updated_by: author } : {}),
  }
}
