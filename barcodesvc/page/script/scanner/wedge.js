/**
 * Tells a wedge scanner from a person at the keyboard: a scanner types faster than anyone.
 *
 * Rule: keys that follow each other within `gap` belong together. Three of them are a scan; it ends with Enter, Tab or
 * `silence`. Nothing here knows a document, so that the rule is tested by itself; times are milliseconds of any clock.
 */

/** Keys that make a scan. */
const FEWEST = 3

/** The longest scan that is kept: a GS1 DataMatrix holds 2,335 characters (GS1 General Specifications, 5.6). */
const LONGEST = 4096

/** @typedef {{gap: number, silence: number}} Pace milliseconds between two keys, and after the last one */

/** @type {Pace} */
export const USUAL = Object.freeze({ gap: 50, silence: 100 })

/** Bluetooth scanners that save power send their keys in bursts with pauses between. @type {Pace} */
export const SLOW = Object.freeze({ gap: 150, silence: 400 })

/**
 * What a key was: `alone` may be a person's, `scanning` belongs to a scan, `ended` is the one that ends it.
 *
 * @typedef {'alone' | 'scanning' | 'ended'} Heard
 */

export class Wedge {
  /** @param {Pace} [pace] */
  constructor(pace = USUAL) {
    this.pace = pace
    this.text = ''
    this.last = -Infinity
  }

  /** Whether the keys so far are a scan. */
  get scanning() {
    return this.text.length >= FEWEST
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
   * Take a character.
   *
   * @param {string} character
   * @param {number} time
   * @returns {Heard}
   */
  type(character, time) {
    if (!this.follows(time) && !(this.scanning && time - this.last < this.pace.silence)) this.text = ''
    if (this.text.length < LONGEST) this.text += character
    this.last = time
    return this.scanning ? 'scanning' : 'alone'
  }

  /**
   * Take an Enter or a Tab.
   *
   * @param {number} time
   * @returns {Heard}
   */
  end(time) {
    const ended = this.scanning && time - this.last < this.pace.silence
    if (!ended) this.text = ''
    return ended ? 'ended' : 'alone'
  }

  /**
   * Return the scan that silence has ended by now, or null.
   *
   * @param {number} time
   */
  quiet(time) {
    return this.scanning && time - this.last >= this.pace.silence ? this.take() : null
  }

  /** Return what was scanned, and forget it. */
  take() {
    const { text } = this
    this.text = ''
    this.last = -Infinity
    return text
  }
}
