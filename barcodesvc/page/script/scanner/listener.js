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

/** Fires `key` with a `Key` of scan_report.js at each key, also where the page does not get the key's own event. */
export const keys = new EventTarget()

/** Modifier keys: they belong to the keys that they change. */
const MODIFIERS = ['Alt', 'AltGraph', 'CapsLock', 'Control', 'Dead', 'Meta', 'NumLock', 'Shift']

/** Tells the keys of a scanner from those of a person, and withholds them from the page until that is clear. */
class ScanListener {
  /**
   * @param {(text: string) => void} onScan
   * @param {(text: string) => boolean | undefined} onTyped
   */
  constructor(onScan, onTyped) {
    this.onScan = onScan
    this.onTyped = onTyped
    this.wedge = new Wedge()
    /** The content of each field that had the focus during the first keys. @type {Map<Field, Content>} */
    this.before = new Map()
    /** Text withheld from the field while it may be part of a scan. */
    this.withheld = ''
    /** Keys withheld from the page, until they are released. @type {Set<string>} */
    this.stopped = new Set()
    /** Digits that were typed with Alt so far. */
    this.altDigits = ''
    /** Whether the browser is about to type a character that the field must not get. */
    this.dropsNext = false
    this.isAfterDead = false
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined
  }

  /** @param {AbortSignal} signal ends the listening */
  attach(signal) {
    const options = { capture: true, signal }
    window.addEventListener('keydown', (event) => this.onKeyDown(event), options)
    window.addEventListener('keypress', (event) => this.onKeyPress(event), options)
    window.addEventListener('keyup', (event) => this.onKeyUp(event), options)
    // a button that is pressed needs what was typed before
    window.addEventListener('pointerdown', () => this.interrupt(), options)
  }

  /** @param {string} text */
  deliverScan(text) {
    const target = [...this.before.keys()].find(takesScans)
    const typedBefore = target && this.before.get(target)?.value
    for (const [field, content] of this.before) if (field !== target) restore(field, content)
    this.forget()
    if (target) fillByScan(target, text, typedBefore)
    else this.onScan(text)
  }

  forget() {
    this.before.clear()
    this.withheld = ''
  }

  /**
   * Deliver keys that a person typed.
   *
   * @param {string} text
   * @returns {boolean} whether they were used
   */
  releaseToTypist(text) {
    const field = [...this.before.keys()].at(-1)
    if (text === '') return false
    if (!field) return this.onTyped(text) ?? false
    if (this.withheld) insert(field, this.withheld)
    this.forget()
    return true
  }

  /**
   * Decide what keys were that only silence, or a person's key, has ended.
   *
   * @param {import('./wedge.js').Kind} kind
   * @param {string} text
   * @returns {boolean} whether they were a scan
   */
  decide(kind, text) {
    const isScan = kind === 'scan' || (kind === 'slow' && this.before.size === 0)
    if (!isScan && (this.releaseToTypist(text) || kind === 'person')) return false
    this.wedge.expectEnd()
    this.deliverScan(text)
    return true
  }

  /** @param {number} time */
  flushIfOver(time) {
    const over = this.wedge.over(time)
    if (over) this.decide(over.kind, over.text)
  }

  flushWhenIdle() {
    clearTimeout(this.timer)
    const due = performance.now() + this.wedge.patience
    this.timer = setTimeout(() => {
      if (performance.now() - due > LATE) this.flushWhenIdle()
      else this.flushIfOver(performance.now())
    }, this.wedge.patience)
  }

  /**
   * @param {KeyboardEvent} event
   * @param {string | null} character
   */
  report(event, character) {
    keys.dispatchEvent(new CustomEvent('key', { detail: { event, character, digits: this.altDigits } }))
  }

  /** @param {KeyboardEvent} event */
  onKeyDown(event) {
    // the browser itself fills in a field with an event without a key
    if (!event.key || (event.isComposing && !this.isAfterDead) || event.repeat) return
    this.dropsNext = false
    this.wedge.pace = settings().slowScanner ? SLOW : USUAL
    this.flushIfOver(event.timeStamp)
    if (ends(event, this.wedge.scanning)) {
      this.report(event, '')
      return this.onTerminator(event.timeStamp) ? this.stop(event) : undefined
    }
    const digit = altDigit(event)
    if (digit !== null) return this.onAltDigit(digit, event)
    const isFast = this.wedge.follows(event.timeStamp)
    const character = characterOf(event, isFast, this.isAfterDead)
    this.isAfterDead = event.key === 'Dead' || (this.isAfterDead && MODIFIERS.includes(event.key))
    if (character !== null) return this.onCharacter(character, event, isFast)
    if (event.key === 'Alt') {
      this.altDigits = ''
      this.hold(event)
    } else if (!MODIFIERS.includes(event.key)) {
      this.report(event, null)
      this.interrupt()
    }
  }

  /**
   * Record Alt, or a digit typed with it: the character comes with the last of them.
   *
   * @param {KeyboardEvent} event
   */
  hold(event) {
    this.wedge.hold(event.timeStamp)
    if (this.wedge.text !== '') this.flushWhenIdle()
  }

  /** A key that types nothing is a person's, unless it is in the middle of a scan. */
  interrupt() {
    const { kind } = this.wedge
    if (kind === 'person' || (kind === 'either' && this.before.size > 0)) this.releaseToTypist(this.wedge.take())
    else if (kind === 'either' && this.onTyped(this.wedge.text)) this.wedge.take()
  }

  /**
   * Handle an Enter or a Tab.
   *
   * @param {number} time
   * @returns {boolean} whether it is the scanner's
   */
  onTerminator(time) {
    const was = this.wedge.end(time)
    const { kind } = this.wedge
    if (was === 'alone') return this.decide(kind, this.wedge.take())
    if (was === 'ended') this.deliverScan(this.wedge.take())
    return true
  }

  /** Save the content of the focused field before one of the first keys. */
  remember() {
    const focused = document.activeElement
    if (this.wedge.text === '') this.forget()
    if (!this.wedge.scanning && isField(focused) && !this.before.has(focused)) {
      this.before.set(focused, contentOf(focused))
    }
  }

  /** Whether keys that may be a scan are withheld from the page: a field that takes scans gets them all. */
  get isWithholding() {
    return this.wedge.scanning && ![...this.before.keys()].some(takesScans)
  }

  /**
   * @param {string} character
   * @param {KeyboardEvent} event
   * @param {boolean} isFast
   */
  onCharacter(character, event, isFast) {
    const { wedge, before } = this
    if (wedge.doubts(event.timeStamp) && this.isWithholding && before.size > 0) this.releaseToTypist(wedge.take())
    this.remember()
    this.report(event, character)
    wedge.type(character, event.timeStamp)
    this.flushWhenIdle()
    // a dead key types nothing yet, and is needed for the next key if a person typed it
    if (event.key === 'Dead') return
    if (this.isWithholding) {
      if (character >= ' ') this.withheld += event.key
      this.stop(event)
    } else if (!wedge.scanning && before.size === 0 && (isFast || character !== ' ')) this.stop(event)
  }

  /**
   * @param {string} digit
   * @param {KeyboardEvent} event
   */
  onAltDigit(digit, event) {
    if (this.altDigits === '') this.remember()
    this.altDigits += digit
    this.hold(event)
    if (this.isWithholding) this.stop(event)
  }

  /**
   * Handle the character whose code was typed while Alt was held. Windows types it now, too.
   *
   * @param {KeyboardEvent} event of Alt
   */
  onAltReleased(event) {
    const character = altCharacter(this.altDigits)
    this.report(event, character)
    this.altDigits = ''
    if (character === '') {
      this.dropsNext = this.onTerminator(event.timeStamp)
      return
    }
    this.wedge.type(character, event.timeStamp)
    this.flushWhenIdle()
    this.dropsNext = this.isWithholding
    if (this.dropsNext) this.withheld += character
  }

  /** @param {KeyboardEvent} event */
  stop(event) {
    this.stopped.add(event.code)
    event.preventDefault()
    event.stopImmediatePropagation()
  }

  /** @param {KeyboardEvent} event of a space within a scan, for example, which presses the focused button when released */
  onKeyUp(event) {
    if (this.stopped.delete(event.code)) event.preventDefault()
    if (event.key === 'Alt' && this.altDigits !== '') this.onAltReleased(event)
  }

  /** @param {KeyboardEvent} event of a character that digits were typed for */
  onKeyPress(event) {
    if (this.dropsNext) event.preventDefault()
    this.dropsNext = false
  }
}

/**
 * Listen in a document until `signal` aborts.
 *
 * @param {(text: string) => void} onScan called with each scan
 * @param {(text: string) => boolean | undefined} onTyped called with what is typed while no field has the focus; returns
 *   whether it was used, otherwise it may be a short scan
 * @param {AbortSignal} signal
 */
export function listen(onScan, onTyped, signal) {
  new ScanListener(onScan, onTyped).attach(signal)
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
