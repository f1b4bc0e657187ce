/**
 * Tells a wedge scanner from a person at the keyboard: a scanner types faster than anyone.
 *
 * Rule: keys that follow each other within `gap` belong together; from the third one on they may be a scan. `SURE` keys in
 * a row are one, because no person types that fast. Fewer are one if an Enter or a Tab follows as fast. A scan ends with
 * Enter, Tab or `silence`. Nothing here uses a document, so that the rule is tested alone; times are milliseconds of any
 * clock.
 */

import { QUICK, STUTTER } from './typed_keys.js'

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

/**
 * What a key was: `alone` may be a person's, `scanning` belongs to a scan, `ended` is the one that ends it, `behind` is
 * an Enter or Tab that follows a scan that has ended.
 *
 * @typedef {'alone' | 'scanning' | 'ended' | 'behind'} Heard
 *
 * What keys that silence ended are: a `scan`, a `person`'s, or `either`: too few to tell. `slow` are enough for a scan, but
 * one of the first came slowly.
 *
 * @typedef {'scan' | 'slow' | 'either' | 'person'} Kind
 *
 * When the first and the last key came, and whether two of them were quicker than a person.
 *
 * @typedef {{first: number, last: number, isQuick: boolean}} Times
 */

export class Wedge {
  /** @param {Pace} [pace] */
  constructor(pace = USUAL) {
    this.pace = pace
    this.text = ''
    this.first = -Infinity
    this.last = -Infinity
    this.isQuick = false
    /** Whether an Enter or a Tab is expected, so that the keys may pause before it. */
    this.expectsEnd = false
    this.behind = -Infinity
    /** Whether one of the first keys came too slowly for a scanner. */
    this.doubted = false
  }

  /** Whether the keys so far may be a scan. */
  get scanning() {
    return this.text.length >= FEWEST
  }

  /** What the keys so far are, without an Enter or a Tab. @returns {Kind} */
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

  /**
   * Whether a key at this time follows the last one as fast as a scanner types.
   *
   * @param {number} time
   */
  follows(time) {
    return this.text !== '' && time - this.last < this.pace.gap
  }

  /**
   * Whether a key at this time shows that a person types: too slow for a scanner, with too few keys before it.
   *
   * @param {number} time
   */
  doubts(time) {
    const isDoubtful = this.scanning && this.text.length < SURE && !this.follows(time)
    return this.pace !== SLOW && (this.doubted || isDoubtful)
  }

  /**
   * Record a key that types nothing by itself, but belongs to those that do.
   *
   * @param {number} time
   */
  hold(time) {
    if (this.follows(time)) this.last = time
  }

  /**
   * Process a character. Call `over` first.
   *
   * @param {string} character
   * @param {number} time
   * @returns {Heard}
   */
  type(character, time) {
    this.doubted = this.doubts(time)
    this.isQuick = this.text !== '' && (this.isQuick || time - this.last < QUICK)
    if (this.text === '') this.first = time
    if (this.text.length < LONGEST) this.text += character
    this.last = time
    this.behind = -Infinity // an Enter after this is for what was typed
    return this.scanning ? 'scanning' : 'alone'
  }

  /**
   * Process an Enter or a Tab. Call `over` first.
   *
   * @param {number} time
   * @returns {Heard}
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
   *
   * @param {number} time
   * @returns {{kind: Kind, text: string} | null}
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

  /** When the keys came, also after they were taken. @returns {Times} */
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
