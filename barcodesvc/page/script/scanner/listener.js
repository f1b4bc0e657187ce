/**
 * Hears a wedge scanner wherever the focus is, and passes on what a person types without a field.
 *
 * Rule: the first keys do not show that a scan begins, so a field gets them; it has its former content again once they are a
 * scan or a code. A field with `data-takes-scans` (search, codes) keeps the scan alone. The Enter of a scan presses nothing.
 */

import { keptValue, settings } from '../settings.js'
import { altDigit, characterOf, ENDS } from './keys.js'
import { FEWEST, SLOW, USUAL, Wedge } from './wedge.js'

/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Field @typedef {{value: string, start: number | null, end: number | null}} Content of a field, and what is selected in it */

/** Fires `key` with the `character` and its `time` for each that is typed, also where the page does not get the key's own event. */
export const keys = new EventTarget()

/** Keys that belong to the next one, or whose text an input method inserts by itself. */
const HELPERS = 'Alt AltGraph CapsLock Control Dead Meta NumLock Shift Process Unidentified'.split(' ')

/** Kinds of inputs that are pressed or dragged, not typed into. */
const NOT_TYPED = ['button', 'checkbox', 'color', 'file', 'image', 'radio', 'range', 'reset', 'submit']

/** A timer that is this many milliseconds late means that keys may be queued behind it. */
const LATE = 30

class ScanListener {
  /** The content of each field before the keys that belong together. @type {Map<Field, Content>} */
  before = new Map()
  /** Which of these keys the page has used. */
  used = ''
  /** Keys withheld from the page, until they are released. @type {Set<string>} */
  stopped = new Set()
  /** Digits that were typed with Alt so far. */
  altDigits = ''
  isAfterDead = false
  /** A key with Alt, which is the first of a scan if another one follows it fast: some scanners mark each key with Alt. @type {KeyboardEvent | null} */
  altKey = null
  /** What an input method composes in the focused field so far. */
  composed = ''
  /** Whether the browser is about to type a character of an Alt code that the page must not get. */
  dropsNext = false
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer = undefined

  /** @param {import('../types.js').Heard} heard */
  constructor(heard) {
    this.heard = heard
    this.wedge = new Wedge(this, keptValue('localStorage', 'barcodesvc.scans-end'))
  }

  /** @param {Event} event */
  begin({ timeStamp }) {
    this.wedge.pace = settings.slowScanner.value ? SLOW : USUAL
    this.wedge.flush(timeStamp)
  }

  /** @param {KeyboardEvent} event */
  onKeyDown(event) {
    // the browser itself fills in a field with an event without a key
    if (!event.key || event.repeat || (event.isComposing && !this.isAfterDead)) return
    const { key, timeStamp } = event
    this.begin(event)
    this.dropsNext = false
    const digit = altDigit(event)
    if (key === 'Alt') this.altDigits = ''
    this.altDigits = (this.altDigits + digit).slice(-8) // those behind decide the character
    this.startWithAlt(event)
    const character = digit ? null : characterOf(event, this.wedge.follows(timeStamp), this.isAfterDead)
    this.isAfterDead = key === 'Dead' || (this.isAfterDead && HELPERS.includes(key))
    if (character !== null) {
      if (!this.type(character, timeStamp) || key === 'Dead') return
      this.stopped.add(event.code)
      event.preventDefault()
      event.stopImmediatePropagation()
    } else if (digit || HELPERS.includes(key)) {
      this.wedge.hold(timeStamp)
      this.flushWhenIdle()
    } else if (isAltKey(event)) this.altKey = event
    else this.wedge.interrupt()
  }

  /** @param {KeyboardEvent} event that may follow the first key of a scan whose keys all have Alt */
  startWithAlt(event) {
    const first = this.altKey
    this.altKey = null
    if (first && isAltKey(event) && event.timeStamp - first.timeStamp < this.wedge.pace.gap)
      this.type(first.key, first.timeStamp)
  }

  /** @param {KeyboardEvent} event of a space within a scan, for example, which presses the focused button when released */
  onKeyUp(event) {
    if (this.stopped.delete(event.code)) event.preventDefault()
    if (event.key !== 'Alt' || this.altDigits === '') return
    const character = new TextDecoder('windows-1252').decode(Uint8Array.of(Number(this.altDigits) % 0x100))
    this.altDigits = ''
    this.dropsNext = this.type(character, event.timeStamp) // Windows types it now, too
  }

  /** @param {InputEvent} event of text that a field is about to get: that of a handheld comes without keys, and all at once */
  onInput(event) {
    const inserted = this.insertedBy(event)
    if (inserted === '') return
    this.begin(event)
    this.remember()
    for (const character of inserted) this.wedge.type(character, event.timeStamp, true)
    this.flushWhenIdle()
  }

  /** What is inserted as a whole or, where scans belong, added to a composed text. @param {InputEvent} event */
  insertedBy({ data, inputType }) {
    const { composed } = this
    const field = document.activeElement
    const text = data ?? ''
    this.composed = inputType === 'insertCompositionText' ? text : ''
    if (!isField(field)) return ''
    if (inputType === 'insertText') return text.length < FEWEST ? '' : text
    return takesScans(field) && this.composed.startsWith(composed) ? this.composed.slice(composed.length) : ''
  }

  /** Process a character; return whether it is withheld from the page. @param {string} character @param {number} time */
  type(character, time) {
    const { wedge } = this
    keys.dispatchEvent(new CustomEvent('key', { detail: { character, time } }))
    if (ENDS.includes(character)) return wedge.end(time)
    this.remember()
    wedge.type(character, time)
    this.flushWhenIdle()
    // without a field a key only does harm, but a space may press the focused button
    if (this.before.size === 0) return wedge.run !== ' ' || wedge.before !== ''
    return character < ' ' || wedge.before === 'code' || wedge.isScan(false)
  }

  /** Save the content of the focused field before the first key that it gets. */
  remember() {
    const field = document.activeElement
    if (this.wedge.isNew) {
      this.before.clear()
      this.used = ''
    }
    if (isField(field) && !this.before.has(field)) this.before.set(field, contentOf(field))
    const fields = [...this.before.keys()]
    if (fields.some(takesScans)) this.wedge.place = 'codes'
    else if (!fields.every(takesNumbers)) this.wedge.place = 'text'
    else this.wedge.place = fields.length ? 'number' : 'none'
  }

  flushWhenIdle() {
    clearTimeout(this.timer)
    const { patience } = this.wedge
    const due = performance.now() + patience
    this.timer = setTimeout(() => {
      if (performance.now() - due > LATE) this.flushWhenIdle()
      else this.wedge.flush(performance.now())
    }, patience)
  }

  /** @param {string} text */
  typed(text) {
    if (this.before.size === 0 && this.heard.typed(text)) this.used += text
  }

  /** @param {string} text */
  scanned(text) {
    const field = [...this.before.keys()].find(takesScans)
    const typed = field && this.before.get(field)?.value
    this.restore()
    if (field) fillByScan(field, text, typed)
    else this.heard.scanned(text)
  }

  /** @param {import('../types.js').Trouble} trouble */
  troubled(trouble) {
    const { used } = this
    this.restore()
    this.heard.troubled(trouble, used)
  }

  restore() {
    for (const [field, content] of this.before) restore(field, content)
    this.before.clear()
    this.used = ''
  }
}

/** Listen from now on. @param {import('../types.js').Heard} heard */
export function listen(heard) {
  const listener = new ScanListener(heard)
  window.addEventListener('keydown', (event) => listener.onKeyDown(event), true)
  window.addEventListener('keyup', (event) => listener.onKeyUp(event), true)
  window.addEventListener('keypress', (event) => listener.dropsNext && event.preventDefault(), true)
  window.addEventListener('beforeinput', (event) => listener.onInput(event), true)
  // a button that is pressed needs what was typed before
  window.addEventListener('pointerdown', () => listener.wedge.interrupt(), true)
}

/** Whether a key types a character with Alt alone. @param {KeyboardEvent} event */
function isAltKey({ key, altKey, ctrlKey, metaKey }) {
  return altKey && !ctrlKey && !metaKey && [...key].length === 1
}

/** @param {Element | null} focused @returns {focused is Field} */
function isField(focused) {
  if (focused instanceof HTMLInputElement) return !NOT_TYPED.includes(focused.type)
  return focused instanceof HTMLTextAreaElement || focused instanceof HTMLSelectElement
}

/** @param {Field} field */
function takesScans(field) {
  return field.dataset['takesScans'] !== undefined
}

/** @param {Field} field */
function takesNumbers(field) {
  return field instanceof HTMLInputElement && (field.inputMode === 'numeric' || field.type === 'number')
}

/** @param {Field} field @returns {Content} */
function contentOf(field) {
  if (field instanceof HTMLSelectElement) return { value: field.value, start: null, end: null }
  return { value: field.value, start: field.selectionStart, end: field.selectionEnd }
}

/** @param {Field} field @param {Content} content */
function restore(field, { value, start, end }) {
  if (field.value !== value) {
    field.value = value
    field.dispatchEvent(new Event('input', { bubbles: true }))
    if (field instanceof HTMLSelectElement) field.dispatchEvent(new Event('change', { bubbles: true }))
  }
  if (start !== null && !(field instanceof HTMLSelectElement)) field.setSelectionRange(start, end)
}

/** Make a field that takes scans contain only the scan: its former text was the previous code. @param {Field} field @param {string} text @param {string} [typed] what the field held before */
export function fillByScan(field, text, typed = '') {
  field.value = text
  field.dispatchEvent(new Event('input', { bubbles: true }))
  const scan = new CustomEvent('scan', { bubbles: true, detail: text })
  field.dispatchEvent(Object.assign(scan, { typed }))
}
