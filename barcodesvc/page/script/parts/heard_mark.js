/** Shows for a moment that the scanner was heard, and what it sent. Screen readers read the result instead. */

import { element, fill } from '../dom.js'
import { symbol } from '../symbols.js'

/** Milliseconds that the mark is visible. */
const SHOWN = 2500

export function heardMark() {
  const node = element('p', { class: 'heard', 'aria-hidden': 'true' })
  return {
    node,
    /** @param {string} code */
    flash(code) {
      fill(node, symbol('scan'), element('bdi', { class: 'code' }, code))
      for (const animation of node.getAnimations()) animation.cancel()
      node.animate({ opacity: [1, 1, 0], offset: [0, 0.8, 1] }, SHOWN)
    },
  }
}
