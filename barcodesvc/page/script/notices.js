/**
 * Short messages at the edge of the page, which screen readers read out. While a dialog is open they are in it: what lies
 * behind a dialog is neither seen nor read.
 *
 * Rule: an error goes with the view that made it. The page has room for the messages, so that all else scrolls clear of them.
 */

import { openDialog } from './dialogs.js'
import { element } from './dom.js'
import { text } from './language.js'

/** How long a message stays, in milliseconds: an error until it is touched or its view left, or as long after a success. */
const STAYS = 6000

/** Maximum number of messages on the page; the oldest is removed first. */
const MOST = 4

/** @type {HTMLElement | undefined} */
let polite

/** Return the element that contains the messages. */
export function notices() {
  if (polite) return polite
  polite = element('div', { class: 'notices', role: 'status', 'aria-live': 'polite' })
  new ResizeObserver(makeRoom).observe(polite)
  return polite
}

/** Tell the styles how much room the messages take at the edge of the page. */
function makeRoom() {
  const height = notices().parentElement === document.body ? notices().offsetHeight : 0
  document.documentElement.style.setProperty('--notices', `${height}px`)
}

/** Return a function that removes the errors that are shown now: those of a view that is about to be left. */
export function errorsSoFar() {
  const errors = notices().querySelectorAll('.notice.bad:not(.offer)')
  return () => errors.forEach((each) => each.remove())
}

/**
 * Show a message with a button, unless it is already shown: a button must not go from under a finger.
 *
 * @param {string} message
 * @param {string} name of the button
 * @param {() => void} press
 */
export function offer(message, name, press) {
  if (notices().querySelector('.offer')) return
  const button = element('button', { type: 'button', class: 'main', onclick: press }, name)
  announce(message, 'bad')
  const last = notices().lastElementChild
  last?.classList.add('offer')
  last?.querySelector('span')?.after(button)
}

/** Move the messages into the open dialog, and back when it closes, or is removed without being closed. */
function toFront() {
  const dialog = openDialog()
  if (notices().parentElement === (dialog ?? document.body)) return
  if (!dialog) return document.body.append(notices())
  dialog.prepend(notices())
  dialog.addEventListener('close', toFront, { once: true })
}

/**
 * Show a message.
 *
 * @param {string} message
 * @param {'good' | 'wait' | 'bad'} [kind]
 */
export function announce(message, kind = 'good') {
  notice(message, kind)
}

/**
 * Show an error of a part of a view, or for a while if that view has been left meanwhile.
 *
 * @param {string} message
 * @param {Node} part
 */
export function announceError(message, part) {
  announce(message, part.isConnected ? 'bad' : 'wait')
}

/**
 * Show a message, and return it.
 *
 * @param {string} message
 * @param {'good' | 'wait' | 'bad'} kind
 * @returns {HTMLElement}
 */
export function notice(message, kind) {
  const made = element('div', { class: `notice ${kind}` }, element('span', null, message))
  const close = element('button', { type: 'button', 'aria-label': text('close'), onclick: () => made.remove() }, '×')
  made.append(close)
  toFront()
  notices().append(made)
  while (notices().children.length > MOST) notices().firstElementChild?.remove()
  if (kind !== 'bad') expire()
  return made
}

/** Remove the messages so far, some time after a success. */
export function expire() {
  const shown = notices().querySelectorAll('.notice:not(.offer)')
  setTimeout(() => shown.forEach((each) => each.remove()), STAYS)
}
