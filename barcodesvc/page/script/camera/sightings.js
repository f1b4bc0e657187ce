/**
 * What a camera counts: a code that stays in the picture is one sighting, however often it is read. Times are milliseconds.
 *
 * Rule: a code is known once enough pictures have shown it, and clearly more than any other text at its place meanwhile. Of
 * several codes in view the one nearest to the centre counts. It counts again after `ABSENCE`, from the first picture without
 * it to a later one: a shaking hand and a blurred picture are not an absence. A code that was passed over waits for `PASSED`,
 * so that it does not count because the one in the centre is blurred. One that is not in the centre waits for `SETTLED`,
 * because the one that is there may need more looks. No time goes by while the camera pauses.
 */

import { picturesFor, withAddOnOf, withoutAddOn } from './confidence.js'
import { areNear } from './places.js'

/** @typedef {import('./types.js').SeenCode} SeenCode */
/** @typedef {import('./types.js').Sighting} Sighting */

const ABSENCE = 2500
const PASSED = 1000
const SETTLED = 600

/** How many times as many pictures must show a code as another one at its place. */
const CLEARLY = 2

/** Pictures from which both may be there, if one is not shown clearly more than the other; those that are remembered. */
const OFTEN = 5
const REMEMBERED = 20

/** The most that goes by between two pictures of a slow device: a device that sleeps does not say that it pauses. */
const LONGEST_GAP = 2000

/** How long a code is in view after it was read: not every picture shows every code. */
const IN_VIEW = 700

export class Sightings {
  /** @type {Map<string, Sighting>} */
  #seen = new Map()
  /** When the last picture was taken, by the clock, if the camera has not paused since. @type {number | null} */
  #taken = null
  /** The same without pauses. */
  #time = 0

  /** Process the codes of a picture that was taken at this time; return the code that counts now, or null. @type {(codes: SeenCode[], taken: number) => SeenCode | null} */
  see(codes, taken) {
    const time = (this.#time += Math.min(taken - (this.#taken ?? taken), LONGEST_GAP))
    this.#taken = taken
    const read = new Set(codes.filter((code) => picturesFor(code) < Infinity).map((code) => this.#read(code, time)))
    for (const sighting of read) sighting.isKnown ||= this.#isClear(sighting)
    for (const sighting of this.#seen.values()) this.#miss(sighting, time)
    const [nearest, ...others] = this.inView().filter(({ last }) => last === time)
    for (const other of others) other.passed = time
    if (!nearest || nearest.hasCounted || time - nearest.passed < PASSED) return null
    if (!nearest.code.isCentral && time - nearest.first < SETTLED) return null
    return this.choose(nearest)
  }

  /** Process that the camera pauses until the next picture. */
  pause() {
    this.#taken = null
  }

  /** Return the codes in view in the last picture, the nearest to the centre first. */
  inView() {
    const inView = [...this.#seen.values()].filter(({ isKnown, last }) => isKnown && this.#time - last < IN_VIEW)
    return inView.sort((one, other) => one.code.distance - other.code.distance)
  }

  /** Count a sighting, and return its code. @param {Sighting} sighting */
  choose(sighting) {
    sighting.hasCounted = true
    return sighting.code
  }

  /** @type {(code: SeenCode, time: number) => Sighting} */
  #read(code, time) {
    const key = withoutAddOn(code.text)
    const begun = { first: time, last: NaN, read: [], isKnown: false, passed: -Infinity, hasCounted: false }
    const sighting = this.#seen.get(key) ?? { key, code, missing: null, ...begun }
    if (sighting.last !== time) sighting.read = [...sighting.read, time].slice(-REMEMBERED)
    const text = withAddOnOf(code.text, [sighting.code.text])
    this.#seen.set(key, Object.assign(sighting, { code: { ...code, text }, last: time, missing: null }))
    return sighting
  }

  /** Whether a code was read often enough. @param {Sighting} sighting */
  #isClear({ key, code, first, read }) {
    const needed = picturesFor(code)
    if (read.length < needed || needed === 1) return read.length >= needed
    const others = [...this.#seen.values()].filter(
      (other) => other.key !== key && areNear(other.code.position, code.position),
    )
    const most = Math.max(0, ...others.map((other) => other.read.filter((time) => time >= first).length))
    return read.length > CLEARLY * most || (read.length >= OFTEN && CLEARLY * read.length > most)
  }

  /** @param {Sighting} sighting @param {number} time */
  #miss(sighting, time) {
    if (sighting.last === time) return
    sighting.missing ??= time
    if (time - sighting.missing >= ABSENCE) this.#seen.delete(sighting.key)
  }
}
