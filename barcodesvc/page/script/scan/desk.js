/**
 * What a person does at the start view: `session.js` has which change of a level follows, `results.js` what is shown of it. A
 * scan from another view, which shows no mode, waits until a person confirms it.
 */

import { announce, openDialog } from '../in_front.js'
import { number } from '../formats.js'
import { text } from '../language.js'
import { sayTrouble } from '../scanner/trouble.js'
import { settings } from '../settings.js'
import { bad } from '../sounds.js'
import { signal } from '../ui.js'
import * as results from './results.js'
import * as next from './session.js'

/** @typedef {ReturnType<typeof newDesk>} Desk */

/** The code of the product that was shown when the view was left, such as for its label; empty if there was none. */
const last = signal('')

/** @param {import('../types.js').Mode} mode @param {AbortSignal} ended */
export function newDesk(mode, ended) {
  const session = Object.assign(next.newSession(mode), { embedded: settings.embedded })
  const desk = Object.assign(results.newResults(session, ended), {
    /** Whether a person has opened the keys where scans need no amount. */
    isOpen: signal(false),
    /** Whether what `say` has shown is the last result. */
    isSaid: /** @type {() => boolean} */ (() => false),
  })
  if (last.value) void results.showAgain(desk, last.value)
  return desk
}

/** @param {Desk} desk */
export function amountOf({ session }) {
  return next.digitsOf(session) || (next.directionOf(session) === 'set' ? '–' : '1')
}

/** @param {Desk} desk */
export function nameOfWaiting({ session, shown }) {
  return shown.value.product?.description ?? session.waiting.value?.code ?? ''
}

/** Book and show what comes next. @param {Desk} desk @param {next.Steps} steps */
export function take(desk, { book, show, type }) {
  for (const change of book) void results.book(desk, change)
  if (show) void results.lookUp(desk, show, type)
}

/** @param {Desk} desk @param {string} code @param {string} [type] its symbology, if the camera has read it */
export function scan(desk, code, type) {
  take(desk, next.scan(desk.session, code, type))
}

/**
 * Process a scan in the code field. Text that a person has typed there may be meant as its amount, so nothing is booked with
 * it. Return whether the scan was accepted. @param {Desk} desk @param {string} code @param {string} typed
 */
export function scanInField(desk, code, typed) {
  const isFree = !typed || desk.session.mode.value === 'look-up'
  if (isFree) scan(desk, code)
  else refuse(desk, code, text('scan.typed', { typed }))
  return isFree
}

/** @param {Desk} desk @param {string} code @param {string} message */
function refuse(desk, code, message) {
  bad()
  results.say(desk, 'bad', code, message)
}

/** Process a code that a person typed, or that opened the view. @param {Desk} desk @param {string} code */
export function enter(desk, code) {
  take(desk, next.enter(desk.session, code))
}

/** Book a scan that is made while the key is asked for. A level cannot be typed meanwhile. @param {Desk} desk @param {string} code */
export function keep(desk, code) {
  const isBooked = ['put-in', 'take-out'].includes(desk.session.mode.value)
  if (isBooked) scan(desk, code)
  return isBooked
}

/** Add what was typed to the amount; return whether it was used. @param {Desk} desk @param {string} typed */
export function typeIn(desk, typed) {
  const kind = next.addDigits(desk.session, typed)
  if (kind === 'used') write(desk, desk.session.typed.value)
  if (kind === 'code') sayTrouble('code')
  return kind !== 'other'
}

/** Change what is typed, and read it out. @param {Desk} desk @param {string} digits */
export function write(desk, digits) {
  desk.session.typed.value = digits
  desk.spoken.value = text('steps.amount', { amount: amountOf(desk) })
}

/** Delete the last digit. @param {Desk} desk */
export function erase(desk) {
  write(desk, desk.session.typed.value.slice(0, -1))
}

/** Take back the last characters that were typed: they were part of a code. @param {Desk} desk @param {string} typed */
export function takeBack(desk, typed) {
  next.takeBack(desk.session, typed.replace(/\D/g, '').length)
}

/** @param {Desk} desk @param {KeyboardEvent} event */
export function press(desk, event) {
  const [focused, { typed, product }] = [document.activeElement, desk.session]
  if (openDialog() || isTypedInto(focused)) return
  if (event.key === 'Backspace') erase(desk)
  if (event.key === 'Escape' && desk.session.waiting.value) cancel(desk)
  if (event.key !== 'Enter' || !(focused === document.body || focused?.closest('.keys'))) return
  // Enter ends an amount: it does not press the digit that was tapped last
  event.preventDefault()
  const unused = text('scan.unused', { amount: typed.value })
  const ended = next.end(desk.session)
  if (ended === 'confirm') confirm(desk)
  if (ended === 'unused') refuse(desk, product.value, unused)
}

/** Book the product that waits. @param {Desk} desk */
export function confirm(desk) {
  if (next.lacksLevel(desk.session)) bad()
  else take(desk, next.confirm(desk.session))
}

/** Forget the product that waits for its amount. @param {Desk} desk */
export function cancel(desk) {
  next.cancel(desk.session)
  results.clear(desk)
}

/**
 * Show that a photo is being read, or why a code or an amount could not be read, until the next result. Only what was said
 * so is followed by being ready again. A camera that cannot read takes no product from the panel.
 *
 * @param {Desk} desk @param {'looking' | 'bad' | 'blind' | 'ready'} state @param {string} message
 */
export function say(desk, state, message) {
  const waiting = desk.session.waiting.value
  if (state === 'ready' && !desk.isSaid()) return
  if (state === 'ready' && waiting) return void results.lookUp(desk, waiting.code, waiting.type)
  if (state === 'bad' || state === 'blind') bad()
  if (state === 'blind' && desk.shown.value.product) return announce(message, 'bad')
  desk.isSaid = results.say(desk, state === 'blind' ? 'bad' : state, '', message)
  desk.spoken.value = message
}

/** @param {Desk} desk @param {import('../types.js').Mode} mode */
export function choose(desk, mode) {
  leave(desk)
  if (desk.session.waiting.value) cancel(desk)
  next.choose(desk.session, mode)
  desk.isOpen.value = false
}

/** Say that the amount of the waiting product is not booked: another mode or view is chosen. @param {Desk} desk */
export function leave(desk) {
  const { session, shown } = desk
  const digits = next.digitsOf(session)
  last.value = shown.value.product?.product_code ?? ''
  if (!session.waiting.value || digits === '') return
  bad()
  announce(text('scan.left', { product: nameOfWaiting(desk), amount: number(Number(digits)) }), 'wait')
}

/** Whether keys go into a field. @param {Element | null} focused */
function isTypedInto(focused) {
  return Boolean(focused?.matches('input:not([type=radio], [type=checkbox], [type=file]), select, textarea'))
}
