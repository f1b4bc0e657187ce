/**
 * Hears a wedge scanner wherever the focus is, and leaves to a person what a person types.
 *
 * Rule: nobody knows at the first key that a scan begins, so what the focused field holds is remembered before each
 * key that may be a first one, and put back when a scan it was. From the third key on nothing reaches the field.
 * A field with `data-takes-scans` (search, codes) keeps the scan's text, and its Enter presses nothing either.
 */

import { settings } from '../settings.js'
import { SLOW, USUAL, Wedge } from './wedge.js'

/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Field */

/** A timer that is late by so many milliseconds says that keys may wait behind it. */
const LATE = 30

/**
 * Listen in a document until `signal` aborts.
 *
 * @param {(text: string) => void} heard
 * @param {AbortSignal} signal
 */
export function listen(heard, signal) {
  const wedge = new Wedge()
  /** @type {{field: Field, value: string} | null} */
  let before = null
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  const finished = (/** @type {string} */ text) => {
    clearTimeout(timer)
    const field = before?.field
    if (before && !takesScans(before.field)) restore(before)
    before = null
    if (!field || !takesScans(field)) heard(text)
    else finishField(field, text)
  }

  const wait = () => {
    clearTimeout(timer)
    const due = performance.now() + wedge.pace.silence
    timer = setTimeout(() => {
      if (performance.now() - due > LATE) return wait()
      const text = wedge.quiet(performance.now())
      if (text !== null) finished(text)
    }, wedge.pace.silence)
  }

  const pressed = (/** @type {KeyboardEvent} */ event) => {
    wedge.pace = settings().slowScanner ? SLOW : USUAL
    if (event.isComposing) return
    if (event.key === 'Enter' || event.key === 'Tab') {
      if (wedge.end(event.timeStamp) !== 'ended') return
      stop(event)
      return finished(wedge.take())
    }
    const character = typed(event)
    if (character === null) return
    if (!wedge.follows(event.timeStamp) && !wedge.scanning) before = remembered(document.activeElement)
    const fast = wedge.follows(event.timeStamp)
    if (wedge.type(character, event.timeStamp) === 'alone') {
      if (fast && !isField(document.activeElement)) event.preventDefault()
      return
    }
    wait()
    if (!before || !takesScans(before.field)) stop(event)
  }

  // a space that belongs to a scan presses the focused button on its way up
  const released = (/** @type {KeyboardEvent} */ event) => {
    if (wedge.scanning && !isField(document.activeElement)) event.preventDefault()
  }

  window.addEventListener('keydown', pressed, { capture: true, signal })
  window.addEventListener('keyup', released, { capture: true, signal })
}

/**
 * Return the character that a key types, or null. Scanners type the group separator as Ctrl+].
 *
 * @param {KeyboardEvent} event
 */
function typed(event) {
  if (event.ctrlKey && event.key === ']') return '\u001d'
  if ((event.ctrlKey || event.altKey) && !event.getModifierState('AltGraph')) return null
  return event.metaKey || [...event.key].length !== 1 ? null : event.key
}

/** @param {KeyboardEvent} event */
function stop(event) {
  event.preventDefault()
  event.stopImmediatePropagation()
}

/**
 * @param {Element | null} focused
 * @returns {focused is Field}
 */
function isField(focused) {
  return (
    focused instanceof HTMLInputElement ||
    focused instanceof HTMLTextAreaElement ||
    focused instanceof HTMLSelectElement
  )
}

/** @param {Field} field */
function takesScans(field) {
  return field.dataset['takesScans'] !== undefined
}

/** @param {Element | null} focused */
function remembered(focused) {
  return isField(focused) ? { field: focused, value: focused.value } : null
}

/** @param {{field: Field, value: string}} before */
function restore({ field, value }) {
  if (field.value === value) return
  field.value = value
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

/**
 * Let a field that takes scans hold the scan alone: what stood there was the code before it.
 *
 * @param {Field} field
 * @param {string} text
 */
function finishField(field, text) {
  field.value = text
  field.dispatchEvent(new Event('input', { bubbles: true }))
  field.dispatchEvent(new CustomEvent('scan', { bubbles: true, detail: text }))
}
