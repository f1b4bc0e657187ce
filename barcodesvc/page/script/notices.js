/** Short messages at the edge of the page, read out by screen readers; each goes after a while or at a touch. */

import { element } from './dom.js'
import { text } from './language.js'

/** How long a message stays, in milliseconds: a bad one until it is touched. */
const STAYS = 6000

/** Messages that stand there at most; the oldest goes first. */
const MOST = 4

const polite = element('div', { class: 'notices', role: 'status', 'aria-live': 'polite' })

/** Return the element that the messages stand in. */
export function notices() {
  return polite
}

/**
 * Show a message.
 *
 * @param {string} message
 * @param {'good' | 'bad'} [kind]
 */
export function announce(message, kind = 'good') {
  const notice = element('div', { class: `notice ${kind}` }, element('span', null, message))
  const close = element('button', { type: 'button', 'aria-label': text('close'), onclick: () => notice.remove() }, '×')
  notice.append(close)
  polite.append(notice)
  while (polite.children.length > MOST) polite.firstElementChild?.remove()
  if (kind === 'good') setTimeout(() => notice.remove(), STAYS)
}
