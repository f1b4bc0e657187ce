/**
 * Accepts a file that is dropped anywhere on the page, and shows that it will.
 *
 * Rule: a browser opens a dropped file in place of the page unless a script handles it, so every drop is handled.
 */

import { element } from '../dom.js'

/** Milliseconds after the last sign of a dragged file until it counts as gone. */
const GONE = 400

/**
 * Accept files until `signal` aborts; return what is shown while one is dragged over the page.
 *
 * @param {string} says
 * @param {(file: File) => void} take
 * @param {AbortSignal} signal
 */
export function fileDrop(says, take, signal) {
  const node = element('div', { class: 'drop', hidden: true }, element('p', null, says))
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let gone

  /** @param {DragEvent} event */
  function over(event) {
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'copy'
    node.hidden = false
    clearTimeout(gone)
    gone = setTimeout(() => (node.hidden = true), GONE)
  }

  /** @param {DragEvent} event */
  function drop(event) {
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    clearTimeout(gone)
    node.hidden = true
    const [file] = event.dataTransfer.files
    if (file) take(file)
  }

  window.addEventListener('dragenter', over, { signal })
  window.addEventListener('dragover', over, { signal })
  window.addEventListener('drop', drop, { signal })
  signal.addEventListener('abort', () => clearTimeout(gone))
  return node
}
