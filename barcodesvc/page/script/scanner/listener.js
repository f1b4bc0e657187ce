/**
 * Hears a wedge scanner wherever the focus is, and passes on what a person types.
 *
 * Rule: the first key does not show that a scan begins, so the content of the focused field is saved before each key that
 * may be one of the first two, and restored if it was a scan. From the third key on nothing reaches a field until it is
 * clear who types; what a person typed goes to the field then. The Enter of a scan presses nothing. Text of an input method,
 * such as that of a handheld with a scanner, comes without keys, and all at once.
 */

import { isField, takesScans } from './fields.js'
import { Hearing } from './hearing.js'
import { altCharacter, altDigit, characterOf, ends } from './keys.js'

/** Fires `key` with a `ScannerKey` at each key, also where the page does not get the key's own event. */
export const keys = new EventTarget()

/** Modifier keys: they belong to the keys that they change. */
const MODIFIERS = ['Alt', 'AltGraph', 'CapsLock', 'Control', 'Dead', 'Meta', 'NumLock', 'Shift']

/** Keys whose text an input method inserts by itself. */
const OF_INPUT_METHOD = ['Unidentified', 'Process']

/** Fewest characters that an input method inserts at once into a field that takes no scans, if they are one. */
const FEWEST_INSERTED = 3

/** Tells the keys of a scanner from those of a person, and withholds them from the page until that is clear. */
class ScanListener {
  /** @param {import('../types.js').Told} told */
  constructor(told) {
    this.hearing = new Hearing(told)
    /** Keys withheld from the page, until they are released. @type {Set<string>} */
    this.stopped = new Set()
    /** Digits that were typed with Alt so far. */
    this.altDigits = ''
    /** A key with Alt, which is part of a scan if another one follows it as fast. @type {KeyboardEvent | null} */
    this.altKey = null
    /** Whether the browser is about to type a character that the field must not get. */
    this.dropsNext = false
    this.isAfterDead = false
    /** Whether a key is about to type a character into the field. */
    this.isPressed = false
    /** What an input method has composed so far. */
    this.composed = ''
  }

  /** @param {AbortSignal} signal ends the listening */
  attach(signal) {
    const options = { capture: true, signal }
    window.addEventListener('keydown', (event) => this.onKeyDown(event), options)
    window.addEventListener('keypress', (event) => this.onKeyPress(event), options)
    window.addEventListener('keyup', (event) => this.onKeyUp(event), options)
    window.addEventListener('beforeinput', (event) => this.onInput(event), options)
    window.addEventListener('compositionend', () => (this.composed = ''), options)
    // a button that is pressed needs what was typed before
    window.addEventListener('pointerdown', () => this.hearing.interrupt(), options)
  }

  /** @param {KeyboardEvent} event @param {string | null} character */
  report(event, character) {
    keys.dispatchEvent(new CustomEvent('key', { detail: { event, character, digits: this.altDigits } }))
  }

  /** @param {KeyboardEvent} event */
  onKeyDown(event) {
    // the browser itself fills in a field with an event without a key
    if (!event.key || (event.isComposing && !this.isAfterDead) || event.repeat) return
    this.dropsNext = false
    this.isPressed = false
    if (OF_INPUT_METHOD.includes(event.key)) return
    const { hearing } = this
    hearing.begin(event.timeStamp)
    if (ends(event, hearing.wedge.scanning)) {
      this.report(event, '')
      return hearing.end(event.timeStamp) ? this.stop(event) : undefined
    }
    const digit = altDigit(event)
    if (digit !== null) return this.onAltDigit(digit, event)
    this.startWithAlt(event)
    const isFast = hearing.wedge.follows(event.timeStamp)
    const character = characterOf(event, isFast, this.isAfterDead)
    this.isAfterDead = event.key === 'Dead' || (this.isAfterDead && MODIFIERS.includes(event.key))
    if (character === null) this.onOther(event)
    else this.onCharacter(character, event)
  }

  /** @param {KeyboardEvent} event of a key that types nothing, as far as it is known */
  onOther(event) {
    if (event.key === 'Alt') {
      this.altDigits = ''
      this.hearing.hold(event.timeStamp)
    } else if (isAltKey(event)) {
      this.altKey = event
      if (this.hearing.wedge.text === '') this.hearing.remember()
    } else if (!MODIFIERS.includes(event.key)) {
      this.report(event, null)
      this.hearing.interrupt()
    }
  }

  /**
   * Take the key with Alt before this one for the first of a scan, if this one follows it as fast: some scanners mark each key
   * with Alt.
   * @param {KeyboardEvent} event
   */
  startWithAlt(event) {
    const first = this.altKey
    const { wedge } = this.hearing
    this.altKey = null
    if (!first || !event.altKey || event.timeStamp - first.timeStamp >= wedge.pace.gap) return
    this.report(first, first.key)
    wedge.type(first.key, first.timeStamp)
  }

  /** @param {string} character @param {KeyboardEvent} event */
  onCharacter(character, event) {
    const { hearing } = this
    hearing.doubt(event.timeStamp)
    hearing.remember()
    this.report(event, character)
    hearing.type(character, event.timeStamp)
    // a dead key types nothing yet, and is needed for the next key if a person typed it
    if (event.key === 'Dead') return
    if (hearing.isWithholding) {
      if (character >= ' ') hearing.fields.withheld += event.key
      this.stop(event)
    } else if (hearing.isForPageAlone(character, event.timeStamp)) this.stop(event)
  }

  /** @param {string} digit @param {KeyboardEvent} event */
  onAltDigit(digit, event) {
    if (this.altDigits === '') this.hearing.remember()
    this.altDigits += digit
    this.hearing.hold(event.timeStamp)
    if (this.hearing.isWithholding) this.stop(event)
  }

  /**
   * Handle the character whose code was typed while Alt was held. Windows types it now, too.
   * @param {KeyboardEvent} event of Alt
   */
  onAltReleased(event) {
    const { hearing } = this
    const character = altCharacter(this.altDigits)
    this.report(event, character)
    this.altDigits = ''
    if (character === '') {
      this.dropsNext = hearing.end(event.timeStamp)
      return
    }
    hearing.type(character, event.timeStamp)
    this.dropsNext = hearing.isWithholding
    if (this.dropsNext) hearing.fields.withheld += character
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

  /** @param {KeyboardEvent} event of a character that a key, or digits with Alt, have typed */
  onKeyPress(event) {
    if (this.dropsNext) event.preventDefault()
    this.isPressed = !this.dropsNext
    this.dropsNext = false
  }

  /** @param {InputEvent} event of text that the focused field is about to get */
  onInput(event) {
    const inserted = this.insertedBy(event)
    const field = document.activeElement
    if (inserted === '' || !isField(field)) return
    if (inserted.length < FEWEST_INSERTED && !takesScans(field)) return
    const { hearing } = this
    hearing.begin(event.timeStamp)
    hearing.remember()
    hearing.fields.isInserted = true
    for (const character of inserted) hearing.type(character, event.timeStamp)
  }

  /**
   * Return the characters that an input method inserts: no key has typed them, nor has the page itself.
   * @param {InputEvent} event
   */
  insertedBy({ data, inputType }) {
    const { isPressed, composed } = this
    this.isPressed = false
    if (!data || isPressed) return ''
    if (inputType === 'insertText') return data
    if (inputType !== 'insertCompositionText') return ''
    this.composed = data
    return data.startsWith(composed) ? data.slice(composed.length) : ''
  }
}

/** Listen in a document until `signal` aborts. @param {import('../types.js').Told} told @param {AbortSignal} signal */
export function listen(told, signal) {
  new ScanListener(told).attach(signal)
}

/** Whether a key types a character with Alt alone. @param {KeyboardEvent} event */
function isAltKey({ key, altKey, ctrlKey, metaKey }) {
  return altKey && !ctrlKey && !metaKey && [...key].length === 1
}
