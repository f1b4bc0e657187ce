/**
 * Hears a wedge scanner wherever the focus is, and leaves to a person what a person types.
 *
 * Rule: nobody knows at the first key that a scan begins, so what the focused field holds is remembered before each
 * key that may be one of the first two, and put back when a scan it was. From the third key on nothing reaches a field.
 * A field with `data-takes-scans` (search, codes) keeps the scan's text, and its Enter presses nothing either.
 */

import { settings } from '../settings.js'
import { SLOW, USUAL, Wedge } from './wedge.js'

/**
 * @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Field
 * @typedef {{value: string, start: number | null, end: number | null}} Content of a field, and what is selected in it
 */

/** A timer that is late by so many milliseconds says that keys may wait behind it. */
const LATE = 30

/** Keys of a person that the wedge has let through: the first two of what may be a scan. */
const LET_THROUGH = 2

/** Kinds of inputs that are pressed or dragged, and not typed into. */
const NOT_TYPED = ['button', 'checkbox', 'color', 'file', 'image', 'radio', 'range', 'reset', 'submit']

/** Keys that change what others type, and belong to them. */
const MODIFIERS = ['Alt', 'AltGraph', 'CapsLock', 'Control', 'Dead', 'Meta', 'NumLock', 'Shift']

/**
 * Listen in a document until `signal` aborts.
 *
 * @param {(text: string) => void} heard called with each scan
 * @param {(text: string) => void} typed called with what a person types where no field has the focus
 * @param {AbortSignal} signal
 */
export function listen(heard, typed, signal) {
  const wedge = new Wedge()
  /** What each field held that had the focus during the first keys. @type {Map<Field, Content>} */
  const before = new Map()
  /** Keys that were kept from the page, until they are released. @type {Set<string>} */
  const stopped = new Set()
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  /** @param {string} text */
  function finished(text) {
    const target = [...before.keys()].find(takesScans)
    for (const [field, content] of before) if (field !== target) restore(field, content)
    before.clear()
    if (target) finishField(target, text)
    else heard(text)
  }

  /** Take the keys so far for a person's. */
  function given() {
    const text = wedge.take()
    if (text !== '' && before.size === 0) typed(text)
    before.clear()
  }

  /** @param {number} time */
  function settle(time) {
    const over = wedge.over(time)
    if (over?.scan) finished(over.text)
    else if (over && before.size === 0) typed(over.text)
  }

  function wait() {
    clearTimeout(timer)
    const due = performance.now() + wedge.patience
    timer = setTimeout(() => {
      if (performance.now() - due > LATE) wait()
      else settle(performance.now())
    }, wedge.patience)
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    if (event.isComposing || event.repeat) return
    wedge.pace = settings().slowScanner ? SLOW : USUAL
    settle(event.timeStamp)
    if (ends(event, wedge.scanning)) return ended(event)
    const fast = wedge.follows(event.timeStamp)
    const character = characterOf(event, fast)
    if (character !== null) return taken(character, event, fast)
    if (!wedge.scanning && !MODIFIERS.includes(event.key)) given()
  }

  /** @param {KeyboardEvent} event */
  function ended(event) {
    const was = wedge.end(event.timeStamp)
    if (was === 'alone') return given()
    stop(event)
    if (was === 'ended') finished(wedge.take())
  }

  /**
   * @param {string} character
   * @param {KeyboardEvent} event
   * @param {boolean} fast
   */
  function taken(character, event, fast) {
    const focused = document.activeElement
    if (wedge.doubts(event.timeStamp) && [...before.keys()].some((field) => !takesScans(field))) giveBack()
    if (wedge.text === '') before.clear()
    if (!wedge.scanning && isField(focused) && !before.has(focused)) before.set(focused, contentOf(focused))
    const was = wedge.type(character, event.timeStamp)
    wait()
    if (was === 'scanning' && ![...before.keys()].some(takesScans)) stop(event)
    else if (was === 'alone' && !isField(focused) && (fast || character !== ' ')) stop(event)
  }

  /** Let a field have what was kept from it, since a person typed it. The browser's own command keeps its undoing. */
  function giveBack() {
    document.execCommand('insertText', false, wedge.take().slice(LET_THROUGH))
    before.clear()
  }

  /** @param {KeyboardEvent} event */
  function stop(event) {
    stopped.add(event.code)
    event.preventDefault()
    event.stopImmediatePropagation()
  }

  // a space that belongs to a scan presses the focused button on its way up
  /** @param {KeyboardEvent} event */
  function released(event) {
    if (stopped.delete(event.code)) event.preventDefault()
  }

  window.addEventListener('keydown', pressed, { capture: true, signal })
  window.addEventListener('keyup', released, { capture: true, signal })
}

/**
 * Whether a key ends a scan. Scanners type a carriage return, a line feed and a tab as Ctrl with M, J and I too.
 *
 * @param {KeyboardEvent} event
 * @param {boolean} scanning
 */
function ends(event, scanning) {
  if (event.key === 'Enter' || event.key === 'Tab') return true
  return scanning && event.ctrlKey && !event.altKey && ['i', 'j', 'm'].includes(event.key.toLowerCase())
}

/**
 * Return the character that a key types, or null. A key with Ctrl, Alt or the like is a person's shortcut, unless it
 * follows others as fast as a scanner types.
 *
 * @param {KeyboardEvent} event
 * @param {boolean} fast
 */
function characterOf(event, fast) {
  if (event.metaKey || [...event.key].length !== 1) return null
  if (event.getModifierState('AltGraph')) return event.key
  if (event.ctrlKey && !event.altKey) return fast || event.key === ']' ? controlOf(event) : null
  return event.altKey && !fast ? null : event.key
}

/**
 * Return the control character that Ctrl with a key types: the group separator is Ctrl+], also where the scanner's
 * keyboard is an English one and that of the system is not.
 *
 * @param {KeyboardEvent} event
 */
function controlOf(event) {
  if (event.code === 'BracketRight') return '\u001d'
  const code = event.key.toUpperCase().charCodeAt(0)
  return code >= 0x40 && code <= 0x5f ? String.fromCharCode(code - 0x40) : null
}

/**
 * @param {Element | null} focused
 * @returns {focused is Field}
 */
function isField(focused) {
  if (focused instanceof HTMLInputElement) return !NOT_TYPED.includes(focused.type)
  return focused instanceof HTMLTextAreaElement || focused instanceof HTMLSelectElement
}

/** @param {Field} field */
function takesScans(field) {
  return field.dataset['takesScans'] !== undefined
}

/**
 * @param {Field} field
 * @returns {Content}
 */
function contentOf(field) {
  if (field instanceof HTMLSelectElement) return { value: field.value, start: null, end: null }
  return { value: field.value, start: field.selectionStart, end: field.selectionEnd }
}

/**
 * @param {Field} field
 * @param {Content} content
 */
function restore(field, { value, start, end }) {
  if (field.value === value) return
  field.value = value
  field.dispatchEvent(new Event('input', { bubbles: true }))
  if (field instanceof HTMLSelectElement) field.dispatchEvent(new Event('change', { bubbles: true }))
  else if (start !== null) field.setSelectionRange(start, end)
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
