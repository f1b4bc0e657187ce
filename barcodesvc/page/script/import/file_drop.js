/** Shows that a file that is dragged over the page can be dropped anywhere. */

import { element } from '../dom.js'
import { text } from '../language.js'

/** Milliseconds after the last sign of a dragged file until it counts as gone. */
const GONE = 400

/** @type {ReturnType<typeof setTimeout> | undefined} */
let gone
const node = element('div', { class: 'drop' })

/** @param {string} type of the event */
export function showDrop(type) {
  clearTimeout(gone)
  if (type === 'drop') return node.remove()
  node.textContent = text('import.drop')
  if (!node.isConnected) document.body.append(node)
  gone = setTimeout(() => node.remove(), GONE)
}
