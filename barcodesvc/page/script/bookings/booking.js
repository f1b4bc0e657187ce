/**
 * A booking: one change of a level that a person made by scanning, from the moment it is made.
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
 * @property {string} scannedAt ISO 8601; empty if it is not known by the service's clock
 * @property {boolean} timed whether that is by the service's clock rather than the device's
 * @property {boolean} [sent] whether it may have been sent to the service; older pages did not store this
 * @property {string} author empty until the person has given a name; only then it is sent
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
    timed: false,
    sent: false,
    author,
    reason: reason ?? '',
    state: 'waiting',
    undoKey: '',
    result: null,
    problem: null,
  }
}

/**
 * Return a booking as one that is sent now. Once sent, it is repeated unchanged: another time would make it another request
 * under the same key.
 *
 * @param {Booking} made
 * @param {import('../service_clock.js').ServiceClock} clock
 * @returns {Booking}
 */
export function sent(made, clock) {
  const isNew = made.sent === false && !made.timed && clock.known
  return { ...(isNew ? timed(made, clock) : made), sent: true }
}

/**
 * Return a booking with the time of its scan by the service's clock, if that is known; otherwise without a time.
 *
 * @template {Omit<Booking, 'id'>} Made
 * @param {Made} made
 * @param {import('../service_clock.js').ServiceClock} clock
 * @returns {Made}
 */
export function timed(made, clock) {
  return { ...made, timed: true, scannedAt: clock.known ? clock.timeOf(made.scannedAt) : '' }
}

/**
 * Whether a booking waits for the name of its author. One that may have been sent is repeated unchanged.
 *
 * @param {Booking} booking
 */
export function isNameless({ state, author, sent: wasSent }) {
  return state === 'waiting' && author === '' && wasSent === false
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
 */
export function asScan({ key, code, type, delta, level, scannedAt, author, reason }) {
  return {
    code_data: code,
    ...(type ? { code_type: type } : {}),
    ...(level === null ? { delta } : { new_level: level }),
    idempotency_key: key,
    ...(scannedAt ? { scanned_at: scannedAt } : {}),
    ...(author ? { updated_by: author } : {}),
    ...(reason ? { change_reason: reason } : {}),
  }
}
