/**
 * Which change of a level comes next, as signals: the mode, the typed amount, and the product that waits for it.
 *
 * Rule: while a product waits, the amount belongs to it, until a person confirms or cancels; otherwise to what comes first,
 * the next scan, or minus, plus or set for the product that is shown. In Set, digits that follow a confirmed level correct
 * it. So no amount goes to another product than the one shown. Digits that are part of a code are taken back. So are those
 * that are too many for an amount, from a scanner that is slower than a person. Nothing here uses a document.
 */

import { signal } from '../ui.js'

/** @typedef {import('../types.js').Change} Change */
/** @typedef {import('../types.js').Mode} Mode */
/** @typedef {{code: string, type: string, direction: Mode, isCorrection?: boolean}} Waiting a product that waits for its amount */
/** @typedef {{book: Change[], show?: string, type?: string}} Steps what to book, in this order, and then the code to show, with its symbology */
/** @typedef {ReturnType<typeof newSession>} Session */

/** Most digits of an amount or a level. The shortest numbers on packs have eight, of which a slow scanner may lose some. */
const MOST = 6

/** Milliseconds without a digit after which the next one does not belong to those before it. */
const PAUSE = 1000

/** @param {Mode} mode */
export function newSession(mode) {
  return {
    mode: signal(mode),
    /** Digits as they were typed, with leading zeros. */
    typed: signal(''),
    waiting: signal(/** @type {Waiting | null} */ (null)),
    /** The code of the product that is shown, or empty: minus, plus and set change it. */
    product: signal(''),
    /** Why the next changes are made, or empty. */
    reason: signal(''),
    /** Whether a scan without an amount counts the weight or the number inside its code, if there is one. */
    embedded: signal(false),
    /** The product whose level was confirmed last: typed digits make it wait again. */
    counted: /** @type {{code: string, type: string} | null} */ (null),
    /** When the last digit of a discarded code was typed. */
    discarded: -Infinity,
  }
}

/** What the amount is for. @param {Session} session */
export function directionOf({ mode, waiting }) {
  return waiting.value?.direction ?? mode.value
}

/** Whether an amount can be typed: a look-up needs a product. @param {Session} session */
export function takesAmount(session) {
  return directionOf(session) !== 'look-up' || session.product.value !== ''
}

/** The typed amount. A level may be 0, but an amount of 0 would book nothing. @param {Session} session */
export function digitsOf(session) {
  return session.typed.value.replace(directionOf(session) === 'set' ? /^0+(?=\d)/ : /^0+/, '')
}

/** Whether a level is still to be typed. @param {Session} session */
export function lacksLevel(session) {
  return directionOf(session) === 'set' && digitsOf(session) === ''
}

/** @param {Session} session @param {Mode} mode */
export function choose(session, mode) {
  session.mode.value = mode
  session.reason.value = ''
  cancel(session)
}

/** Process a scanned code. @param {Session} session @param {string} code @param {string} [type] @returns {Steps} */
export function scan(session, code, type = '') {
  const book = left(session)
  if (session.mode.value === 'look-up') {
    session.typed.value = ''
    return { book, show: code, ...(type && { type }) }
  }
  if (lacksLevel(session)) return { book, ...wait(session, code, type) }
  book.push(changeOf(session, code, type))
  return { book }
}

/** Process a code that a person typed: its product waits, so that it is seen before it is booked. @param {Session} session @param {string} code @returns {Steps} */
export function enter(session, code) {
  if (session.mode.value === 'look-up') return scan(session, code)
  return { book: left(session), ...wait(session, code) }
}

/** Book the product that waits. @param {Session} session @returns {Steps} */
export function confirm(session) {
  const waiting = session.waiting.value
  if (!waiting || lacksLevel(session)) return { book: [] }
  const { code, type } = waiting
  const book = [changeOf(session, code, type)]
  if (session.mode.value === 'set') session.counted = { code, type }
  return { book }
}

/** Forget the product that waits, and what was typed. @param {Session} session */
export function cancel(session) {
  session.waiting.value = session.counted = null
  session.typed.value = ''
}

/** Put in or take out the typed amount of the product that is shown; not while a scanned one waits. @param {Session} session @param {1 | -1} sign @returns {Steps} */
export function step(session, sign) {
  const { product, typed, waiting } = session
  if (product.value === '' || (waiting.value && !waiting.value.isCorrection)) return { book: [] }
  const delta = sign * (Number(typed.value) || 1)
  waiting.value = null
  typed.value = ''
  return { book: [withReason(session, { code: product.value, delta })] }
}

/** Set the level of the product that is shown to the typed number; without one, it waits for its level. @param {Session} session @returns {Steps} */
export function setLevel(session) {
  const { product, typed, waiting } = session
  if (product.value === '' || waiting.value) return { book: [] }
  if (typed.value === '') return { book: [], ...wait(session, product.value, '', 'set') }
  const [code, level] = [product.value, Number(typed.value)]
  typed.value = ''
  if (session.mode.value === 'set') session.counted = { code, type: '' }
  return { book: [withReason(session, { code, level })] }
}

/** Add digits to the amount; return whether a text is of the amount, of a code, or neither. @param {Session} session @param {string} text @param {number} [time] milliseconds of any clock */
export function addDigits(session, text, time = performance.now()) {
  const { counted, typed, waiting } = session
  if (!/^\d+$/.test(text) || !takesAmount(session)) return 'other'
  if (time - session.discarded < PAUSE) {
    session.discarded = time
    return 'used'
  }
  if (counted && !waiting.value) waiting.value = { ...counted, direction: 'set', isCorrection: true }
  typed.value += text
  if (typed.value.length <= MOST) return 'used'
  discard(session)
  session.discarded = time
  return 'code'
}

/** Process an Enter: it confirms the product that waits. An amount that is for no product is discarded. @param {Session} session */
export function end(session) {
  const { typed, product, waiting } = session
  const isUnused = typed.value !== '' && product.value !== '' && ['set', 'look-up'].includes(directionOf(session))
  session.discarded = -Infinity
  if (waiting.value) return 'confirm'
  if (isUnused) discard(session)
  return isUnused ? 'unused' : 'nothing'
}

/** Take back the last digits, which were part of a code that has ended: they also correct nothing. @param {Session} session @param {number} count */
export function takeBack(session, count) {
  const { typed, waiting } = session
  session.discarded = -Infinity
  if (count > 0) typed.value = typed.value.slice(0, -count)
  if (waiting.value?.isCorrection && typed.value === '') waiting.value = null
}

/** Have a product wait for its amount. @param {Session} session @param {string} code @param {string} [type] @param {Mode} [direction] */
function wait(session, code, type = '', direction = session.mode.value) {
  session.counted = null
  session.waiting.value = { code, type, direction }
  return { show: code, ...(type && { type }) }
}

/** Return the change of the waiting product if its amount was typed; without one, it stays unchanged. @param {Session} session */
function left(session) {
  const waiting = session.waiting.value
  if (waiting && digitsOf(session) !== '') return [changeOf(session, waiting.code, waiting.type)]
  session.waiting.value = null
  return []
}

/** Return the change of a code by the typed amount, which is used up. @param {Session} session @param {string} code @param {string} type */
function changeOf(session, code, type) {
  const [direction, digits] = [directionOf(session), digitsOf(session)]
  const amount = Number(digits || '1')
  cancel(session)
  const difference = {
    delta: direction === 'put-in' ? amount : -amount,
    ...(session.embedded.value && !digits && { embedded: true }),
  }
  const change = direction === 'set' ? { level: amount } : difference
  return withReason(session, { code, ...(type && { type }), ...change })
}

/** @param {Session} session @param {Change} change @returns {Change} */
function withReason({ reason }, change) {
  return reason.value ? { ...change, reason: reason.value } : change
}

/** Forget digits that are no amount; they correct nothing. @param {Session} session */
function discard(session) {
  if (session.waiting.value?.isCorrection) cancel(session)
  else session.typed.value = ''
}
