/**
 * Short messages at the edge of the page, which screen readers read out. While a dialog is open they are in it: what lies
 * behind a dialog is neither seen nor read.
 */

import { openDialog } from './dialogs.js'
import { element } from './dom.js'
import { text } from './language.js'

/** How long a message stays, in milliseconds: an error until it is touched, or as long after a success. */
const STAYS = 6000

/** Maximum number of messages on the page; the oldest is removed first. */
const MOST = 4

/** @type {HTMLElement | undefined} */
let polite

/** Return the element that contains the messages. */
export function notices() {
  return (polite ??= element('div', { class: 'notices', role: 'status', 'aria-live': 'polite' }))
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

/** Move the messages into the open dialog, and back when it closes. */
function toFront() {
  const dialog = openDialog()
  if (!dialog || dialog.contains(notices())) return
  dialog.append(notices())
  dialog.addEventListener('close', () => document.body.append(notices()), { once: true })
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
