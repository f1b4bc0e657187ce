/**
 * Which readings of a video are codes. At a slant, lines cross a linear code without its ends, and some give another text:
 * `1234` of an ITF `12345678`. Such lines are few, so a linear code that few lines have read for its width is in doubt.
 *
 * Rule: as in the service (barcodesvc/scanning/images/agreement.py), a reading without doubt is a code. One in doubt is a code
 * if two turns of the picture give the same text, and none without doubt, and no longer such text, is at its place, after
 * all turns have been looked at. What may be a part of another code never counts.
 */

import { barsOf, withAddOnOf, withoutAddOn } from './add_ons.js'
import { areNear, sidesOf } from './places.js'
import { ROUND } from './turned_looks.js'

/** @typedef {import('./zxing_codes.js').Code} Code */
/** @typedef {Code & {degrees: number}} Reading with the turn of its look */
/** @typedef {{code: Code, turns: Set<number>, first: number, last: number}} Doubt with the numbers of pictures */

/** The height of the lines that read a code, by their width, below which it is in doubt. @type {Record<string, number>} */
const FEW_LINES = {
  Code128: 0.07,
  Code93: 0.07,
  EAN13: 0.07,
  UPCA: 0.07,
  PZN: 0.07,
  Codabar: 0.09,
  Code39: 0.09,
  EAN8: 0.09,
  ITF: 0.09,
  UPCE: 0.09,
}

/** Symbologies of any length, of which a long one is low for its width though it is upright. */
const VARIABLE = new Set(['Codabar', 'ITF'])

/** Characters of such a symbol, above which the lines count by its characters and not by its width. */
const USUAL_LENGTH = 14

/** Symbologies that lines at a slant show within other codes. */
const WITHIN_OTHERS = new Set(['Codabar', 'EAN8', 'ITF', 'UPCE'])

/** Pictures for which a reading is remembered. */
const REMEMBERED = 3 * ROUND

export class Agreement {
  #picture = 0

  /** Readings in doubt, by their texts without add-ons. @type {Map<string, Doubt>} */
  #doubts = new Map()

  /** Readings without doubt, and the picture that showed them. @type {{code: Code, last: number}[]} */
  #certain = []

  /**
   * Process the readings of a picture and its copies; return its codes, each text once, as most lines have read it.
   * @param {Reading[]} readings @returns {Code[]}
   */
  codes(readings) {
    this.#picture += 1
    this.#forget()
    const certain = readings.filter((reading) => !isDoubtful(reading))
    this.#certain.push(...certain.map((code) => ({ code, last: this.#picture })))
    const doubtful = readings.filter((reading) => isDoubtful(reading))
    for (const reading of doubtful) this.#doubt(reading)
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
    const doubt = this.#doubts.get(number) ?? { turns: new Set(), first: this.#picture }
    doubt.turns.add(reading.degrees)
    this.#doubts.set(number, { ...doubt, code: reading, last: this.#picture })
  }

  /** @param {Reading} reading */
  #isAgreed(reading) {
    if (WITHIN_OTHERS.has(reading.type)) return false
    const doubt = /** @type {Doubt} */ (this.#doubts.get(withoutAddOn(reading.text)))
    if (doubt.turns.size < 2 || this.#picture - doubt.first < ROUND) return false
    const others = [...this.#doubts.values()].filter(({ turns, code }) => turns.size > 1 && isLonger(code, reading))
    return ![...others, ...this.#certain].some(
      ({ code }) => withoutAddOn(code.text) !== withoutAddOn(reading.text) && areNear(code.position, reading.position),
    )
  }
}

/** Whether lines at a slant may have read a part of another code. @param {Code} reading */
export function isDoubtful({ text, type, position }) {
  const [width, height] = barsOf({ text, type, position })
  const long = VARIABLE.has(type) ? Math.max(1, text.length / USUAL_LENGTH) : 1
  return height * long < width * (FEW_LINES[type] ?? 0)
}

/** @param {Code} one @param {Code} other */
function isLonger(one, other) {
  return withoutAddOn(one.text).length > withoutAddOn(other.text).length
}
