/** A pad of 3 x 4 keys, as telephones have them. */

import { element } from './dom.js'
import { text } from './language.js'

/** @param {{digit: (face: string) => void, clear: () => void, erase: () => void}} presses `erase` deletes the last digit */
export function keypad({ digit, clear, erase }) {
  const key = (/** @type {string} */ face, press = () => digit(face), name = '') =>
    element('button', { type: 'button', 'aria-label': name || null, onclick: press }, face)
  return element(
    'div',
    { class: 'keys' },
    ...[...'123456789'].map((face) => key(face)),
    key('C', clear, text('amount.clear')),
    key('0'),
    key('⌫', erase, text('amount.erase')),
  )
}
