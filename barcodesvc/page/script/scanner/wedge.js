/**
 * Tells a wedge scanner from a person at the keyboard: a scanner types faster than anyone.
 *
 * Rule: keys that follow each other within `gap` belong together. Three of them are a scan; it ends with Enter, Tab or
 * `silence`. Nothing here knows a document, so that the rule is tested by itself; times are milliseconds of any clock.
 */

/** Keys that make a scan. */
const FEWEST = 3

/** Keys so fast in a row that no person types them; among fewer, one slow key says that a person it was. */
const SURE = 6

/** The longest scan that is kept: a GS1 DataMatrix holds 2,335 characters (GS1 General Specifications, 5.6). */
const LONGEST = 4096

/** Milliseconds after a scan that silence ended within which an Enter is still the scanner's. */
const BEHIND = 500

/** @typedef {{gap: number, silence: number}} Pace milliseconds between two keys, and after the last one */

/** @type {Pace} */
export const USUAL = Object.freeze({ gap: 50, silence: 100 })

/** Bluetooth scanners that save power send their keys in bursts with pauses between. @type {Pace} */
export const SLOW = Object.freeze({ gap: 150, silence: 400 })

/**
 * What a key was: `alone` may be a person's, `scanning` belongs to a scan, `ended` is the one that ends it, `behind` is
 * an Enter or Tab that follows one that has ended.
 *
 * @typedef {'alone' | 'scanning' | 'ended' | 'behind'} Heard
 */

export class Wedge {
  /** @param {Pace} [pace] */
  constructor(pace = USUAL) {
    this.pace = pace
    this.text = ''
    this.last = -Infinity
    this.behind = -Infinity
  }

  /** Whether the keys so far are a scan. */
  get scanning() {
    return this.text.length >= FEWEST
  }

  /** Milliseconds without a key after which what was typed so far is over. */
  get patience() {
    return this.scanning ? this.pace.silence : this.pace.gap
  }

  /**
   * Whether a key at this time follows the last one as fast as a scanner types.
   *
   * @param {number} time
   */
  follows(time) {
    return this.text !== '' && time - this.last < this.pace.gap
  }

  /**
   * Whether a character at this time says that a person types: too slow for a scanner, and too few came before it.
   *
   * @param {number} time
   */
  doubts(time) {
    return this.pace !== SLOW && this.scanning && this.text.length < SURE && !this.follows(time)
  }

  /**
   * Take a character. Whoever calls has asked `over` before.
   *
   * @param {string} character
   * @param {number} time
   * @returns {Heard}
   */
  type(character, time) {
    if (this.text.length < LONGEST) this.text += character
    this.last = time
    return this.scanning ? 'scanning' : 'alone'
  }

  /**
   * Take an Enter or a Tab. Whoever calls has asked `over` before.
   *
   * @param {number} time
   * @returns {Heard}
   */
  end(time) {
    if (this.scanning) {
      this.behind = time + this.pace.gap
      return 'ended'
    }
    return this.text === '' && time < this.behind ? 'behind' : 'alone'
  }

  /**
   * Return what is over by now: a scan that silence has ended, or the keys of a person; else null.
   *
   * @param {number} time
   * @returns {{scan: boolean, text: string} | null}
   */
  over(time) {
    if (this.text === '' || time - this.last < this.patience) return null
    const scan = this.scanning
    if (scan) this.behind = this.last + BEHIND
    return { scan, text: this.take() }
  }

  /** Return what was typed, and forget it. */
  take() {
    const { text } = this
    this.text = ''
    return text
  }
}
