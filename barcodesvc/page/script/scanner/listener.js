/**
 * Hears a wedge scanner wherever the focus is, and passes on what a person types.
 *
 * Rule: the first key does not show that a scan begins, so the content of the focused field is saved before each key that
 * may be one of the first two, and restored if it was a scan. From the third key on nothing reaches a field until it is
 * clear who types; what a person typed goes to the field then. A field with `data-takes-scans` (search, codes) keeps
 * the scan's text, and its Enter presses nothing either.
 */

import { settings } from '../settings.js'
import { altCharacter, altDigit, characterOf, ends } from './keys.js'
import { SLOW, USUAL, Wedge } from './wedge.js'

/**
 * @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Field
 * @typedef {{value: string, start: number | null, end: number | null}} Content of a field, and what is selected in it
 */

/** A timer that is this many milliseconds late means that keys may be queued behind it. */
const LATE = 30

/** Kinds of inputs that are pressed or dragged, not typed into. */
const NOT_TYPED = ['button', 'checkbox', 'color', 'file', 'image', 'radio', 'range', 'reset', 'submit']

/** Fires `key` with a `Key` of scan_report.js, for the test of a scanner. */
export const keys = new EventTarget()

/** Modifier keys: they belong to the keys that they change. */
const MODIFIERS = ['Alt', 'AltGraph', 'CapsLock', 'Control', 'Dead', 'Meta', 'NumLock', 'Shift']

/**
 * Listen in a document until `signal` aborts.
 *
 * @param {(text: string) => void} heard called with each scan
 * @param {(text: string) => boolean | undefined} typed called with what is typed while no field has the focus; returns
 *   whether it was used, otherwise it may be a short scan
 * @param {AbortSignal} signal
 */
export function listen(heard, typed, signal) {
  const wedge = new Wedge()
  /** The content of each field that had the focus during the first keys. @type {Map<Field, Content>} */
  const before = new Map()
  /** Text withheld from the field while it may be part of a scan. */
  let kept = ''
  /** Keys withheld from the page, until they are released. @type {Set<string>} */
  const stopped = new Set()
  /** Digits that were typed with Alt so far. */
  let digits = ''
  /** Whether the browser is about to type a character that the field must not get. */
  let unwanted = false
  let afterDead = false
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  /** @param {string} text */
  function finish(text) {
    const target = [...before.keys()].find(takesScans)
    const typedBefore = target && before.get(target)?.value
    for (const [field, content] of before) if (field !== target) restore(field, content)
    forget()
    if (target) fillByScan(target, text, typedBefore)
    else heard(text)
  }

  function forget() {
    before.clear()
    kept = ''
  }

  /**
   * Deliver keys that a person typed.
   *
   * @param {string} text
   * @returns {boolean} whether they were used
   */
  function release(text) {
    const field = [...before.keys()].at(-1)
    if (text === '') return false
    if (!field) return typed(text) ?? false
    if (kept) insert(field, kept)
    forget()
    return true
  }

  /**
   * Decide what keys were that only silence, or a person's key, has ended.
   *
   * @param {import('./wedge.js').Kind} kind
   * @param {string} text
   * @returns {boolean} whether they were a scan
   */
  function decide(kind, text) {
    const isScan = kind === 'scan' || (kind === 'slow' && before.size === 0)
    if (!isScan && (release(text) || kind === 'person')) return false
    wedge.expectEnd()
    finish(text)
    return true
  }

  /** @param {number} time */
  function settle(time) {
    const over = wedge.over(time)
    if (over) decide(over.kind, over.text)
  }

  function wait() {
    clearTimeout(timer)
    const due = performance.now() + wedge.patience
    timer = setTimeout(() => {
      if (performance.now() - due > LATE) wait()
      else settle(performance.now())
    }, wedge.patience)
  }

  /**
   * @param {KeyboardEvent} event
   * @param {string | null} character
   */
  function report(event, character) {
    keys.dispatchEvent(new CustomEvent('key', { detail: { event, character, digits } }))
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    // the browser itself fills in a field with an event without a key
    if (!event.key || (event.isComposing && !afterDead) || event.repeat) return
    unwanted = false
    wedge.pace = settings().slowScanner ? SLOW : USUAL
    settle(event.timeStamp)
    if (ends(event, wedge.scanning)) {
      report(event, '')
      return end(event.timeStamp) ? stop(event) : undefined
    }
    const digit = altDigit(event)
    if (digit !== null) return addDigit(digit, event)
    const fast = wedge.follows(event.timeStamp)
    const character = characterOf(event, fast, afterDead)
    afterDead = event.key === 'Dead' || (afterDead && MODIFIERS.includes(event.key))
    if (character !== null) return take(character, event, fast)
    if (event.key === 'Alt') {
      digits = ''
      hold(event)
    } else if (!MODIFIERS.includes(event.key)) {
      report(event, null)
      interrupt()
    }
  }

  /**
   * Record Alt, or a digit typed with it: the character comes with the last of them.
   *
   * @param {KeyboardEvent} event
   */
  function hold(event) {
    wedge.hold(event.timeStamp)
    if (wedge.text !== '') wait()
  }

  /** A key that types nothing is a person's, unless it is in the middle of a scan. */
  function interrupt() {
    const { kind } = wedge
    if (kind === 'person' || (kind === 'either' && before.size > 0)) release(wedge.take())
    else if (kind === 'either' && typed(wedge.text)) wedge.take()
  }

  /**
   * Handle an Enter or a Tab.
   *
   * @param {number} time
   * @returns {boolean} whether it is the scanner's
   */
  function end(time) {
    const was = wedge.end(time)
    const { kind } = wedge
    if (was === 'alone') return decide(kind, wedge.take())
    if (was === 'ended') finish(wedge.take())
    return true
  }

  /** Save the content of the focused field before one of the first keys. */
  function remember() {
    const focused = document.activeElement
    if (wedge.text === '') forget()
    if (!wedge.scanning && isField(focused) && !before.has(focused)) before.set(focused, contentOf(focused))
  }

  /** Whether keys that may be a scan are withheld from the page: a field that takes scans gets them all. */
  function keeps() {
    return wedge.scanning && ![...before.keys()].some(takesScans)
  }

  /**
   * @param {string} character
   * @param {KeyboardEvent} event
   * @param {boolean} fast
   */
  function take(character, event, fast) {
    if (wedge.doubts(event.timeStamp) && keeps() && before.size > 0) release(wedge.take())
    remember()
    report(event, character)
    wedge.type(character, event.timeStamp)
    wait()
    // a dead key types nothing yet, and is needed for the next key if a person typed it
    if (event.key === 'Dead') return
    if (keeps()) {
      if (character >= ' ') kept += event.key
      stop(event)
    } else if (!wedge.scanning && before.size === 0 && (fast || character !== ' ')) stop(event)
  }

  /**
   * @param {string} digit
   * @param {KeyboardEvent} event
   */
  function addDigit(digit, event) {
    if (digits === '') remember()
    digits += digit
    hold(event)
    if (keeps()) stop(event)
  }

  /**
   * Handle the character whose code was typed while Alt was held. Windows types it now, too.
   *
   * @param {KeyboardEvent} event of Alt
   */
  function addCharacter(event) {
    const character = altCharacter(digits)
    report(event, character)
    digits = ''
    if (character === '') {
      unwanted = end(event.timeStamp)
      return
    }
    wedge.type(character, event.timeStamp)
    wait()
    unwanted = keeps()
    if (unwanted) kept += character
  }

  /** @param {KeyboardEvent} event */
  function stop(event) {
    stopped.add(event.code)
    event.preventDefault()
    event.stopImmediatePropagation()
  }

  // a space within a scan presses the focused button when released
  /** @param {KeyboardEvent} event */
  function released(event) {
    if (stopped.delete(event.code)) event.preventDefault()
    if (event.key === 'Alt' && digits !== '') addCharacter(event)
  }

  /** @param {KeyboardEvent} event of a character that digits were typed for */
  function composed(event) {
    if (unwanted) event.preventDefault()
    unwanted = false
  }

  window.addEventListener('keydown', pressed, { capture: true, signal })
  window.addEventListener('keypress', composed, { capture: true, signal })
  window.addEventListener('keyup', released, { capture: true, signal })
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
  if (field.value !== value) {
    field.value = value
    field.dispatchEvent(new Event('input', { bubbles: true }))
    if (field instanceof HTMLSelectElement) field.dispatchEvent(new Event('change', { bubbles: true }))
  }
  if (start !== null && !(field instanceof HTMLSelectElement)) field.setSelectionRange(start, end)
}

/**
 * Give a field the text that a person typed: with the browser's own command, which can be undone, while the caret is there.
 *
 * @param {Field} field
 * @param {string} text
 */
function insert(field, text) {
  if (field instanceof HTMLSelectElement) return
  if (field === document.activeElement) return void document.execCommand('insertText', false, text)
  if (field.selectionStart === null) field.value += text
  else field.setRangeText(text)
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

/**
 * Make a field that takes scans contain only the scan: its former text was the previous code.
 *
 * @param {Field} field
 * @param {string} text
 * @param {string} [typed] what the field held before
 */
export function fillByScan(field, text, typed = '') {
  field.value = text
  field.dispatchEvent(new Event('input', { bubbles: true }))
  const scan = new CustomEvent('scan', { bubbles: true, detail: text })
  field.dispatchEvent(Object.assign(scan, { typed }))
}
