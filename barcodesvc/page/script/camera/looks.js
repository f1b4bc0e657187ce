/**
 * Which turned copies of a picture are read besides it, and which of their readings are codes: zxing-cpp finds linear codes only
 * where they are nearly level or upright. At a slant, a few lines cross such a code without its ends, and give a part of it.
 *
 * Rule: as in the service (barcodesvc/scanning/images/agreement.py), a reading without doubt is a code. One in doubt is a code
 * if two turns give the same text, and none without doubt, and no longer such text, is at its place, after all turns. What may
 * be a part of another code never counts.
 */

import { isDoubtful, mayBePart, withAddOnOf, withoutAddOn } from './confidence.js'
import { areNear, sidesOf } from './places.js'

/** @typedef {import('./types.js').Code} Code */
/** @typedef {Code & {degrees: number}} Reading with the turn of its look */

/** Degrees: steps of 15, because a low code is read up to 11 off. Right angles come with each. */
const TURNS = [15, -15, 45, 30, -30]
const AT_A_PICTURE = 2

/** Degrees: less than the slant at which a code is no longer read. */
const NUDGE = 4

/** Turns that are kept for the next pictures. */
const KEPT = 2

/** Pictures for all angles, and those for which a reading is remembered. */
export const ROUND = Math.ceil(TURNS.length / AT_A_PICTURE)
const REMEMBERED = 3 * ROUND

/** Two turns at each picture, and one more: the angle that showed a code, or nearly the angle of a code in doubt. */
export class TurnedLooks {
  #next = 0
  /** Further turns, the next one first. @type {number[]} */
  #kept = []

  /** Return the turns for the next picture, in degrees. */
  turns() {
    const turns = this.#kept.splice(0, 1)
    for (let count = 0; count < AT_A_PICTURE; count++) {
      const turn = /** @type {number} */ (TURNS[this.#next++ % TURNS.length])
      if (!turns.includes(turn)) turns.push(turn)
    }
    return turns
  }

  /** Process that a look has shown a code. @param {number} degrees @param {boolean} isInDoubt */
  found(degrees, isInDoubt) {
    const isNudged = degrees !== 0 && !TURNS.includes(degrees)
    if (isInDoubt ? isNudged : degrees === 0) return
    const turns = isInDoubt ? [degrees + NUDGE, degrees - NUDGE] : [degrees]
    this.#kept = [...turns, ...this.#kept].slice(0, KEPT)
  }
}

export class Agreement {
  #picture = 0
  /** The readings of the last pictures, without add-ons. @type {(Reading & {number: string, picture: number, isInDoubt: boolean})[]} */
  #remembered = []

  /** Process the readings of a picture and its copies; return its codes, each text once, as most lines have read it. @type {(readings: Reading[]) => Code[]} */
  codes(readings) {
    const picture = ++this.#picture
    const read = readings.map((reading) => {
      return { ...reading, number: withoutAddOn(reading.text), picture, isInDoubt: isDoubtful(reading) }
    })
    this.#remembered = [...this.#remembered, ...read].filter((each) => picture - each.picture < REMEMBERED)
    const codes = read.filter((each) => !each.isInDoubt || (!mayBePart(each) && this.#isAgreed(each)))
    codes.sort((one, other) => sidesOf(one.position)[1] - sidesOf(other.position)[1])
    const texts = readings.map(({ text }) => text)
    return [...new Map(codes.map((code) => [code.number, code])).values()].map(({ text, type, position }) => {
      return { text: withAddOnOf(text, texts), type, position }
    })
  }

  /** Whether looks agree on what is in doubt. @param {Reading & {number: string}} reading */
  #isAgreed({ number, position }) {
    const [first] = this.#doubtsOf(number)
    if (!first || this.#picture - first.picture < ROUND || !this.#isTurned(number)) return false
    return !this.#remembered.some((other) => {
      if (other.number === number || !areNear(other.position, position)) return false
      return !other.isInDoubt || (other.number.length > number.length && this.#isTurned(other.number))
    })
  }

  /** @param {string} number */
  #doubtsOf(number) {
    return this.#remembered.filter((each) => each.isInDoubt && each.number === number)
  }

  /** Whether two turns have shown a text that is in doubt. @param {string} number */
  #isTurned(number) {
    return new Set(this.#doubtsOf(number).map(({ degrees }) => degrees)).size > 1
  }
}
