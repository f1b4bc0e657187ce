/**
 * Tells what a person types where amounts are typed from a code that is not heard as a scan: its keys come too slowly, or
 * with pauses.
 *
 * Rule: keys that follow each other shortly belong together. They are a code if two of them are quicker than a
 * person, if digits come with letters, or if anything follows a sign. So is what comes shortly after a scan that only silence
 * has ended. Nothing here uses a document; times are milliseconds of any clock.
 */

/** No person who types an amount presses two keys, or a key and Enter, in fewer milliseconds. */
export const QUICK = 120

/** The longest pause within a scan, in milliseconds. */
export const STUTTER = 600

/** Milliseconds in which another key makes a plus or a minus part of a code. */
export const SIGN_WAITS = 650

/** Milliseconds in which a digit belongs to a letter or a sign, and any key to a code. */
const TOGETHER = 1000

/** Fewest letters alone that are a code: a person may brush two keys. */
const LETTERS = 3

export class TypedKeys {
  constructor() {
    /** The keys that belong together, as far as the scanner's rule did not make a scan of them. */
    this.text = ''
    this.last = -Infinity
    this.isCode = false
    this.isQuick = false
    /** When the last key came of a scan that silence ended. */
    this.unended = -Infinity
  }

  /**
   * Whether keys that begin at this time belong to those before them: to a letter or a sign for longer than to a digit.
   *
   * @param {number} time
   * @param {string} [text]
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
   *
   * @param {string} text
   * @param {import('./wedge.js').Times} times
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

  /**
   * Process an Enter or a Tab; return whether it ends a code.
   *
   * @param {number} time
   */
  enter(time) {
    const isEnd = this.isCode || (time - this.last < QUICK && /\d/.test(this.text))
    const isOfCode = this.continues(time) && isEnd
    this.end()
    return isOfCode
  }

  /**
   * Process a scan; return whether it is only the rest of a code: keys came right before it, or an Enter ends what silence
   * seemed to have ended.
   *
   * @param {import('./wedge.js').Times} times
   * @param {'enter' | 'silence'} end
   */
  scan({ first, last }, end) {
    const isRest = this.text !== '' && first - this.last < STUTTER
    const isTail = end === 'enter' && first - this.unended < STUTTER
    this.end()
    if (end === 'silence') this.unended = last
    return isRest || isTail
  }
}

/**
 * @param {string} text
 * @param {boolean} isQuick whether two of its keys were quicker than a person
 */
function isCode(text, isQuick) {
  const hasDigit = /\d/.test(text)
  const hasLetter = /[^\d+-]/.test(text)
  if (/[+-][^+-]/.test(text) || (hasLetter && /[\d+-]/.test(text))) return true
  return isQuick && (hasDigit || (hasLetter && text.length >= LETTERS))
}
