/**
 * Tells by the pace of keys a wedge scanner from a person, and a code that comes too slowly for that from an amount.
 *
 * Rule of a scan (`Wedge`): keys that follow each other within `gap` belong together; from the third one on they may be a
 * scan. `SURE` keys in a row are one, because no person types that fast. Fewer are one if an Enter or a Tab follows as fast.
 * A scan ends with Enter, Tab or `silence`.
 *
 * Rule of the rest, where amounts are typed (`TypedKeys`): keys that follow each other shortly belong together. They are a
 * code if two of them are quicker than a person, if digits come with letters, or if anything follows a sign. So is what
 * comes shortly after a scan that only silence has ended.
 *
 * Nothing here uses a document, so that the rules are tested alone; times are milliseconds of any clock.
 */

/** @typedef {import('../types.js').KeyTimes} KeyTimes */
/** @typedef {import('../types.js').KeysKind} KeysKind */

/** No person who types an amount presses two keys, or a key and Enter, in fewer milliseconds. */
export const QUICK = 120

/** The longest pause within a scan, in milliseconds. */
const STUTTER = 600

/** Milliseconds in which another key makes a plus or a minus part of a code. */
const SIGN_WAITS = 650

/** Milliseconds in which a digit belongs to a letter or a sign, and any key to a code. */
const TOGETHER = 1000

/** Fewest letters alone that are a code: a person may brush two keys. */
const LETTERS = 3

/** Keys that may be a scan. */
const FEWEST = 3

/** Keys in a row that are too fast for a person. */
const SURE = 6

/** The longest scan that is kept: a GS1 DataMatrix holds 2,335 characters (GS1 General Specifications, 5.6). */
const LONGEST = 4096

/** @typedef {{gap: number, silence: number}} Pace milliseconds between two keys, and after the last one */

/** @type {Pace} */
export const USUAL = Object.freeze({ gap: 50, silence: 100 })

/** Bluetooth scanners that save power send their keys in bursts with pauses between. @type {Pace} */
export const SLOW = Object.freeze({ gap: 150, silence: 400 })

export class Wedge {
  text = ''
  first = -Infinity
  last = -Infinity
  isQuick = false
  /** Whether an Enter or a Tab is expected, so that the keys may pause before it. */
  expectsEnd = false
  behind = -Infinity
  /** Whether one of the first keys came too slowly for a scanner. */
  doubted = false

  /** @param {Pace} [pace] */
  constructor(pace = USUAL) {
    this.pace = pace
  }

  /** Whether the keys so far may be a scan. */
  get scanning() {
    return this.text.length >= FEWEST
  }

  /** What the keys so far are, without an Enter or a Tab. @returns {KeysKind} */
  get kind() {
    if (!this.scanning) return 'person'
    if (this.text.length < SURE) return 'either'
    return this.doubted ? 'slow' : 'scan'
  }

  /** Milliseconds without a key after which the typed keys are complete. */
  get patience() {
    if (!this.scanning) return this.pace.gap
    return this.expectsEnd ? STUTTER : this.pace.silence
  }

  /** Whether a key at this time follows the last one as fast as a scanner types. @param {number} time */
  follows(time) {
    return this.text !== '' && time - this.last < this.pace.gap
  }

  /**
   * Whether a key at this time shows that a person types: too slow for a scanner, with too few keys before it.
   * @param {number} time
   */
  doubts(time) {
    const isDoubtful = this.scanning && this.text.length < SURE && !this.follows(time)
    return this.pace !== SLOW && (this.doubted || isDoubtful)
  }

  /** Record a key that types nothing by itself, but belongs to those that do. @param {number} time */
  hold(time) {
    if (this.follows(time)) this.last = time
  }

  /** Process a character. Call `over` first. @param {string} character @param {number} time */
  type(character, time) {
    this.doubted = this.doubts(time)
    this.isQuick = this.text !== '' && (this.isQuick || time - this.last < QUICK)
    if (this.text === '') this.first = time
    if (this.text.length < LONGEST) this.text += character
    this.last = time
    this.behind = -Infinity // an Enter after this is for what was typed
  }

  /**
   * Process an Enter or a Tab. Call `over` first. Return whether it has `ended` a scan, is `behind` one that has ended, or is
   * `alone`: a person's.
   * @param {number} time @returns {'ended' | 'behind' | 'alone'}
   */
  end(time) {
    if (this.scanning && !this.doubts(time)) {
      this.behind = time + this.pace.gap
      return 'ended'
    }
    return this.text === '' && time < this.behind ? 'behind' : 'alone'
  }

  /**
   * Return what silence has ended by now, otherwise null.
   * @param {number} time @returns {{kind: KeysKind, text: string} | null}
   */
  over(time) {
    if (this.text === '' || time - this.last < this.patience) return null
    const { kind } = this
    return { kind, text: this.take() }
  }

  /** Expect an Enter or a Tab after a scan that silence has ended. */
  expectEnd() {
    this.behind = this.last + STUTTER
  }

  /** When the keys came, also after they were taken. @returns {KeyTimes} */
  get times() {
    const { first, last, isQuick } = this
    return { first, last, isQuick }
  }

  /** Return what was typed, and clear it. */
  take() {
    const { text } = this
    this.text = ''
    this.doubted = false
    return text
  }
}

export class TypedKeys {
  /** The keys that belong together, as far as the scanner's rule did not make a scan of them. */
  text = ''
  last = -Infinity
  isCode = false
  isQuick = false
  /** When the last key came of a scan that silence ended. */
  unended = -Infinity

  /**
   * Whether keys that begin at this time belong to those before them: to a letter or a sign for longer than to a digit.
   * @param {number} time @param {string} [text]
   */
  continues(time, text = '') {
    const isOfDigits = !this.isCode && /^\d+$/.test(this.text + text)
    const waits = !this.isCode && /[+-]$/.test(this.text) ? SIGN_WAITS : isOfDigits ? STUTTER : TOGETHER
    return this.text !== '' && time - this.last < waits
  }

  /** Begin anew: what comes next does not belong to the keys so far. */
  end() {
    this.text = ''
    this.isCode = false
    this.isQuick = false
    this.unended = -Infinity
  }

  /**
   * Process keys that are no scan; return whether they, and those before them, are a code.
   * @param {string} text @param {KeyTimes} times
   */
  type(text, { first, last, isQuick }) {
    const isRest = first - this.unended < STUTTER
    const before = this.continues(first, text) ? this.last : -Infinity
    if (before === -Infinity) this.end()
    if (isRest) this.unended = last
    this.isQuick ||= isQuick || first - before < QUICK
    this.text = (this.text + text).trimStart()
    this.last = last
    this.isCode ||= isRest || isCode(this.text, this.isQuick)
    return this.isCode
  }

  /** Process an Enter or a Tab; return whether it ends a code. @param {number} time */
  enter(time) {
    const isEnd = this.isCode || (time - this.last < QUICK && /\d/.test(this.text))
    const isOfCode = this.continues(time) && isEnd
    this.end()
    return isOfCode
  }

  /**
   * Process a scan; return whether it is only the rest of a code: keys came right before it, or an Enter ends what silence
   * seemed to have ended.
   * @param {KeyTimes} times @param {'enter' | 'silence'} end
   */
  scan({ first, last }, end) {
    const isRest = this.text !== '' && first - this.last < STUTTER
    const isTail = end === 'enter' && first - this.unended < STUTTER
    this.end()
    if (end === 'silence') this.unended = last
    return isRest || isTail
  }
}

/** @param {string} text @param {boolean} isQuick whether two of its keys were quicker than a person */
function isCode(text, isQuick) {
  const hasDigit = /\d/.test(text)
  const hasLetter = /[^\d+-]/.test(text)
  if (/[+-][^+-]/.test(text) || (hasLetter && /[\d+-]/.test(text))) return true
  return isQuick && (hasDigit || (hasLetter && text.length >= LETTERS))
}
