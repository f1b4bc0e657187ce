/** A button that takes a step, and repeats it while it is held down. */

import { element } from './dom.js'

/** Milliseconds before a held button begins to repeat, and between two of its steps. */
const HELD = 400
const REPEAT = 80

/**
 * @param {string} name read out by screen readers
 * @param {string} sign
 * @param {() => void} step
 */
export function stepButton(name, sign, step) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  let repeated = false
  const release = () => clearTimeout(timer)
  const repeat = () => {
    if (!button.isConnected) return
    repeated = true
    step()
    timer = setTimeout(repeat, REPEAT)
  }
  const button = element(
    'button',
    {
      type: 'button',
      class: 'step',
      'aria-label': name,
      onpointerdown: () => {
        release()
        repeated = false
        timer = setTimeout(repeat, HELD)
      },
      onpointerup: release,
      onpointerleave: release,
      onpointercancel: release,
      oncontextmenu: (/** @type {Event} */ event) => event.preventDefault(),
      onclick: () => {
        if (!repeated) step()
        repeated = false
      },
    },
    sign,
  )
  return button
}
