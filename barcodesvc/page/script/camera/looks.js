/**
 * Which turned copies of a picture are read besides the picture itself, and which of their readings are codes: zxing-cpp finds
 * linear codes only where they are nearly level or upright. At a slant, lines cross such a code without its ends, and few of
 * them give another text, `1234` of an ITF `12345678`: what few lines have read for its width is in doubt.
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
  /** Readings in doubt by their texts without add-ons, with numbers of pictures. @type {Map<string, {code: Code, turns: Set<number>, first: number, last: number}>} */
  #doubts = new Map()
  /** Readings without doubt, and the picture that showed them. @type {{code: Code, last: number}[]} */
  #certain = []

  /** Process the readings of a picture and its copies; return its codes, each text once, as most lines have read it. @type {(readings: Reading[]) => Code[]} */
  codes(readings) {
    this.#picture += 1
    this.#forget()
    const certain = readings.filter((reading) => !isDoubtful(reading))
    const doubtful = readings.filter(isDoubtful)
    this.#certain.push(...certain.map((code) => ({ code, last: this.#picture })))
    doubtful.forEach((reading) => this.#doubt(reading))
    const agreed = doubtful.filter((reading) => this.#isAgreed(reading))
    const codes = [...agreed, ...certain].sort((one, other) => sidesOf(one.position)[1] - sidesOf(other.position)[1])
    const once = [...new Map(codes.map((code) => [withoutAddOn(code.text), code])).values()]
    const texts = readings.map(({ text }) => text)
    return once.map((code) => ({ ...code, text: withAddOnOf(code.text, texts) }))
  }

  #forget() {
    this.#certain = this.#certain.filter(({ last }) => this.#picture - last < REMEMBERED)
    for (const [text, { last }] of this.#doubts) if (this.#picture - last >= REMEMBERED) this.#doubts.delete(text)
  }

  /** @param {Reading} reading */
  #doubt(reading) {
    const number = withoutAddOn(reading.text)
    const { turns, first } = this.#doubts.get(number) ?? { turns: new Set(), first: this.#picture }
    this.#doubts.set(number, { code: reading, turns: turns.add(reading.degrees), first, last: this.#picture })
  }

  /** @param {Reading} reading */
  #isAgreed(reading) {
    const number = withoutAddOn(reading.text)
    const doubt = this.#doubts.get(number)
    if (mayBePart(reading) || !doubt || doubt.turns.size < 2 || this.#picture - doubt.first < ROUND) return false
    const longer = [...this.#doubts.values()].filter(
      ({ turns, code }) => turns.size > 1 && withoutAddOn(code.text).length > number.length,
    )
    return ![...longer, ...this.#certain].some(
      ({ code }) => withoutAddOn(code.text) !== number && areNear(code.position, reading.position),
    )
  }
}
