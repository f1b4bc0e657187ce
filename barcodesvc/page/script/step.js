/** A button that takes a step, and repeats it while it is held down: twenty copies do not need twenty taps. */

import { html, useEffect, useRef } from './ui.js'

/** Milliseconds before a held button begins to repeat, and between two of its steps. */
const HELD = 400
const REPEAT = 80

/** @param {{label: string, sign: string, step: () => void}} props `label` is read out by screen readers */
export function Step({ label, sign, step }) {
  const latest = useRef(step)
  const timer = useRef(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined))
  const hasRepeated = useRef(false)
  latest.current = step
  const release = () => clearTimeout(timer.current)
  useEffect(() => release, [])

  function repeat() {
    hasRepeated.current = true
    latest.current()
    timer.current = setTimeout(repeat, REPEAT)
  }

  function hold() {
    release()
    hasRepeated.current = false
    timer.current = setTimeout(repeat, HELD)
  }

  function click() {
    if (!hasRepeated.current) step()
    hasRepeated.current = false
  }

  return html`
    <button
      type="button" class="step" aria-label=${label}
      onpointerdown=${hold} onpointerup=${release} onpointerleave=${release} onpointercancel=${release}
      oncontextmenu=${(/** @type {Event} */ event) => event.preventDefault()} onclick=${click}
    >${sign}</button>`
}
