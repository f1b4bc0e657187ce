/**
 * Tells by the pace of keys what a wedge scanner types and what a person does. Times are milliseconds of any clock.
 *
 * Rule: keys that follow each other fast are a run. It is a scan if it is long, or if Enter or Tab ends it as fast. Where an
 * amount may be typed, a short one is a scan, too, and whatever has only short pauses belongs together: one scan, or digits at
 * a person's pace. Anything else is a code that is not heard, of which nothing is an amount: what is used of it is taken back.
 * Of a held key, or a scanner that does not stop, only as much is kept as shows that it is no scan.
 */

import { LIMITS } from '../api.js'

/** @typedef {{gap: number, silence: number}} Pace milliseconds between two keys of a run, and after the last one */
/** @typedef {'none' | 'number' | 'codes' | 'text'} Place what the focused field takes; without one, keys may be an amount */
/** @typedef {{scanned: (text: string) => void, typed: (text: string) => void, troubled: (trouble: import('../types.js').Trouble) => void}} Told */

/** @type {Pace} */
export const USUAL = Object.freeze({ gap: 50, silence: 100 })

/** Bluetooth scanners that save power send their keys in bursts with pauses between. @type {Pace} */
export const SLOW = Object.freeze({ gap: 150, silence: 400 })

/** No person who types an amount presses two keys, or a key and Enter, in fewer milliseconds. */
const QUICK = 120

/** The longest pause within a scan, in milliseconds. */
const STUTTER = 600

/** Fewest keys that may be a scan, and as many as no person types so fast. */
export const FEWEST = 3
const SURE = 6

/** Scans without an Enter, one after the other, after which none is expected: they are another scanner's. */
const OTHER_SCANNER = 3

/** What separates thousands in a number that a person types into a field. */
const SEPARATORS = /[\s,.'’]/g

export class Wedge {
  pace = USUAL
  /** Where the keys of the run go. @type {Place} */
  place = 'none'
  /** Keys that are not decided yet. */
  run = ''
  /** What came shortly before the run: `scan` is one that only silence has ended. @type {'' | 'typed' | 'code' | 'scan'} */
  before = ''
  #typed = ''
  #isQuick = false
  #isInserted = false
  #last = -Infinity
  /** Until when an Enter belongs to the last scan. */
  #behind = -Infinity
  #unended = 0

  /** @param {Told} told @param {{read: () => unknown, store: (value: unknown) => void}} kept whether this device's scans end with Enter */
  constructor(told, kept) {
    this.told = told
    this.kept = kept
    /** Whether the scans of this device end with Enter or Tab: then one that silence ends is incomplete. */
    this.expectsEnd = kept.read() === true
  }

  /** Whether nothing that came shortly before belongs to the next key. */
  get isNew() {
    return this.run === '' && this.before === ''
  }

  /** Whether a key at this time follows the run as fast as a scanner types. @param {number} time */
  follows(time) {
    return this.run !== '' && time - this.#last < this.pace.gap
  }

  /** Milliseconds without a key after which the run is over. */
  get patience() {
    const { length } = this.run
    const isShort = length < SURE && !this.#isForAmount && this.pace !== SLOW
    if (length < FEWEST || isShort) return this.pace.gap
    return this.#awaitsEnd ? STUTTER : this.pace.silence
  }

  /** In a field for text, a person may press Enter soon after what was typed fast, or inserted as a whole. */
  get #awaitsEnd() {
    return this.expectsEnd && this.place !== 'text'
  }

  /** Whether the run is a scan. @param {boolean} isEnded whether Enter or Tab ends it */
  isScan(isEnded) {
    const { length } = this.run
    const isTyped = this.place === 'text' && (this.#isInserted || this.pace === SLOW)
    const isSure = (length >= SURE && !isTyped) || (this.#isForAmount && this.#isQuick)
    return length >= FEWEST && (isEnded || isSure)
  }

  /** Decide what the keys are that are over by now. @param {number} time */
  flush(time) {
    if (this.run !== '' && time - this.#last >= this.patience) {
      if (this.isScan(false)) this.#deliver(false)
      else this.#release()
    }
    if (time - this.#last >= STUTTER) this.#reset()
  }

  /** Process a character. @param {string} character @param {number} time @param {boolean} [isInserted] by an input method */
  type(character, time, isInserted = false) {
    this.flush(time)
    this.#isInserted = isInserted || (this.#isInserted && this.run !== '')
    this.#isQuick ||= time - this.#last < QUICK
    if (this.run.length <= LIMITS.scan) this.run += character
    this.#last = time
    this.#behind = -Infinity
  }

  /** Process a key that types nothing by itself, but belongs to those that do. @param {number} time */
  hold(time) {
    if (this.follows(time)) this.#last = time
  }

  /** Process a key or a touch of a person, unless it is in the middle of a scan. */
  interrupt() {
    if (this.run.length >= FEWEST) return
    this.#release()
    if (this.before !== 'code') this.#reset()
  }

  /** Process an Enter or a Tab; return whether it is the scanner's. @param {number} time */
  end(time) {
    this.flush(time)
    const isQuick = time - this.#last < QUICK
    const isBehind = this.run === '' && time < this.#behind
    if (this.isScan(true)) {
      this.#behind = time + this.pace.gap
      this.#deliver(true)
      return true
    }
    this.#release()
    if (isQuick && this.#typed !== '') this.#refuse()
    const isOwn = isBehind || this.before === 'code'
    if (isOwn && isQuick) this.#note(true)
    this.#reset()
    return isOwn
  }

  get #isForAmount() {
    return this.place === 'none' || this.place === 'number'
  }

  /** @param {boolean} isEnded */
  #deliver(isEnded) {
    const { run, before } = this
    const last = this.#last
    const isPart = before === 'typed' || before === 'code' || (before === 'scan' && isEnded)
    this.run = ''
    this.#note(isEnded)
    this.#reset()
    if (!isEnded) {
      this.before = 'scan'
      this.#last = last
      this.#behind = last + STUTTER
    }
    if (isPart || run.length > LIMITS.scan || (this.#awaitsEnd && !isEnded)) this.told.troubled('incomplete')
    else this.told.scanned(run)
  }

  /** Take the run for a person's, or for a part of a code. */
  #release() {
    const { run } = this
    this.run = ''
    if (run === '') return
    const isPress = run.trim() === '' && this.before === '' // a space that presses the focused button
    if (!this.#isForAmount || isPress) return this.#reset()
    if (this.#typed.length <= LIMITS.scan) this.#typed = (this.#typed + run).trimStart()
    const typed = this.place === 'number' ? this.#typed.replace(SEPARATORS, '') : this.#typed
    const isCode = this.#isQuick || typed.length > LIMITS.scan || (/\d/.test(typed) && /\D/.test(typed))
    if (isCode || ['scan', 'code'].includes(this.before)) return this.#refuse()
    this.before = 'typed'
    this.told.typed(run)
  }

  #refuse() {
    if (this.before !== 'code') this.told.troubled('code')
    this.before = 'code'
  }

  /** Note how a scan has ended. @param {boolean} isEnded */
  #note(isEnded) {
    this.#unended = isEnded ? 0 : this.#unended + 1
    const expects = isEnded || (this.expectsEnd && this.#unended < OTHER_SCANNER)
    if (expects !== this.expectsEnd) this.kept.store((this.expectsEnd = expects))
  }

  /** Nothing before belongs to what comes. */
  #reset() {
    this.before = ''
    this.#typed = ''
    this.#isQuick = false
    this.#last = -Infinity
  }
}
