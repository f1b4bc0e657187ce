/**
 * A booking: one change of a level that a person made by scanning, and what can become of it.
 *
 * Rule: it stores the time by the device's clock, and when it is sent it says how long ago that was: the service subtracts
 * this from its own clock, so that a wrong clock does no harm. If the clock was set in between, the age is as wrong as the
 * step was, but no scan is ever of the future.
 */

import { newKey } from '../idempotency_key.js'

/** @typedef {import('../types.js').Booking} Booking */
/** @typedef {import('../types.js').NewBooking} NewBooking */

/** Milliseconds by which a scan is said to be later than it was, at most. */
const MOST_LATER = 60_000

/** Temporary refusals: the booking keeps waiting. */
export const PASSING = ['DATABASE_ERROR', 'GENERATION_ERROR', 'RATE_LIMIT_EXCEEDED']

/** Return a booking that waits. @param {import('../types.js').Change & {author: string}} change @param {Date} now @returns {NewBooking} */
export function newBooking({ code, type, delta, level, embedded, reason, author }, now) {
  return {
    key: newKey(),
    code,
    ...(type && { type }),
    delta: delta ?? null,
    level: level ?? null,
    ...(embedded && { embedded }),
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

/** Whether a booking, or its undo, waits to be sent. @param {Pick<Booking, 'state' | 'undoKey'>} booking */
export function isUnsent({ state, undoKey }) {
  return state === 'waiting' || undoKey !== ''
}

/** Whether a booking is booked or undone, with nothing left to send or decide. @param {Booking} booking */
export function isSettled(booking) {
  return booking.state !== 'refused' && !isUnsent(booking)
}

/**
 * Return how many milliseconds ago a scan was made, at least 0.
 *
 * One that was made while an earlier request was under way counts from the moment when that was answered: the service may
 * have received that request as late, and a count must not be before what its own device has changed.
 *
 * @param {string} scannedAt @param {number} now @param {number} answered when the last response came
 */
export function ageOf(scannedAt, now, answered) {
  const made = Date.parse(scannedAt)
  return Math.max(0, now - Math.max(made, Math.min(answered, made + MOST_LATER)))
}

/** Return a booking as one of `scans` of `POST /api/codes/scans`. @param {Booking} booking @param {number} age in milliseconds */
export function asScan({ key, code, type, delta, level, embedded, author, reason }, age) {
  return {
    code_data: code,
    ...(type ? { code_type: type } : {}),
    ...(level === null ? { delta } : { new_level: level }),
    ...(embedded ? { delta_from: 'embedded' } : {}),
    idempotency_key: key,
    scanned_ago_ms: age,
    ...(author ? { updated_by: author } : {}),
    ...(reason ? { change_reason: reason } : {}),
  }
}

/** Return a level with the bookings of its product that the service has not counted yet, and the undos. @param {number} level @param {Booking[]} unsettled oldest first */
export function levelAfter(level, unsettled) {
  return unsettled.reduce((before, { state, undoKey, delta, level: counted, result }) => {
    if (state === 'booked' && result) return before - (result.newLevel - result.oldLevel)
    return undoKey ? before : (counted ?? before + (delta ?? 0))
  }, level)
}

/** Whether a response leaves a booking waiting. @param {any} envelope the response for it */
export function isInconclusive(envelope) {
  return !envelope || PASSING.includes(envelope.code)
}

/**
 * Return a booking as the service's response leaves it. One without a response, or with a temporary refusal, keeps
 * waiting; one that a person took back meanwhile is undone; one that already has a result keeps it, because another tab
 * may have sent it too. One that was to count the value inside a code without any is a booking of one, with another key.
 *
 * @param {Booking} booking @param {any} envelope the response for it @returns {Booking}
 */
export function settled(booking, envelope) {
  if (booking.result || isInconclusive(envelope)) return booking
  if (envelope.success) {
    const undoKey = booking.state === 'undone' ? newKey() : booking.undoKey
    return { ...booking, state: 'booked', undoKey, result: resultOf(envelope.data), problem: null }
  }
  if (booking.undoKey || booking.state === 'undone') return undone(booking)
  if (envelope.details?.errors?.some((/** @type {any} */ { field }) => field === 'delta_from'))
    return booking.embedded ? { ...booking, embedded: false, key: newKey() } : booking
  return { ...booking, state: 'refused', problem: problemOf(envelope) }
}

/**
 * Return a booking as it is when a person takes it back: one that was never sent is not sent, another is undone as soon as
 * it is booked. A refused one is discarded.
 *
 * @param {Booking} booking @param {string} author who takes it back @returns {Booking}
 */
export function takenBack(booking, author) {
  if (booking.undoKey || booking.state === 'undone') return booking
  if (booking.state === 'refused' || booking.sent === false) return undone(booking)
  return { ...booking, undoKey: newKey(), undoAuthor: author, problem: null }
}

/** @param {Booking} booking @returns {Booking} */
export function undone(booking) {
  return { ...booking, undoKey: '', state: 'undone', problem: null }
}

/** Return a booking that is not sent again if it is refused. @param {Booking} booking */
export function discarded(booking) {
  return booking.state === 'refused' ? undone(booking) : booking
}

/**
 * Return a refused booking as one that waits again. It keeps its key, so that it counts once even if another tab sends it too.
 *
 * @param {Booking} booking @param {string} [code] of the product that was created for it, if that is not the scanned text @returns {Booking}
 */
export function waitingAgain(booking, code = booking.code) {
  return booking.state === 'refused' ? { ...booking, code, state: 'waiting', problem: null } : booking
}

/** @param {any} data of a counted scan @returns {import('../types.js').Result} */
function resultOf({ product, code, inventory, embedded, change }) {
  return {
    productId: product.id,
    productCode: product.product_code,
    description: product.description,
    changeId: change?.id ?? 0,
    changedAt: change?.updated_at ?? '',
    oldLevel: change?.old_level ?? inventory?.current_level ?? 0,
    newLevel: change?.new_level ?? inventory?.current_level ?? 0,
    pack: code?.pack_quantity ?? 1,
    ...(product.retired && { retired: true }),
    ...(embedded && { embedded }),
  }
}

/** @param {import('../types.js').Problem} error @returns {import('../types.js').Problem} */
export function problemOf({ code, message, details }) {
  return { code, message, details }
}
