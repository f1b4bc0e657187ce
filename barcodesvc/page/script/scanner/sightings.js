/**
 * What a camera counts: a code that stays in the picture is one sighting, however often it is read.
 *
 * Rule: of several codes in a picture the one nearest to the centre counts. It counts again after `ABSENCE`, from the first
 * picture without it to a later one: a shaking hand and a blurred picture are not an absence. A code that was passed over
 * waits for `PASSED`, so that it does not count because the one in the centre is blurred. Times are milliseconds of any clock.
 */

const ABSENCE = 2500
const PASSED = 1000

export class Sightings {
  constructor() {
    /** Codes that have counted, and since when they have been missing, or null. @type {Map<string, number | null>} */
    this.counted = new Map()
    /** When another code was nearer to the centre. @type {Map<string, number>} */
    this.passed = new Map()
  }

  /**
   * Process the codes of one picture, and return the code that counts now, or null.
   *
   * @param {string[]} codes nearest to the centre first
   * @param {number} time when the picture was taken
   */
  see(codes, time) {
    for (const [code, missing] of this.counted) {
      if (codes.includes(code)) this.counted.set(code, null)
      else if (missing === null) this.counted.set(code, time)
      else if (time - missing >= ABSENCE) this.counted.delete(code)
    }
    const [nearest, ...others] = codes
    for (const code of others) if (code !== nearest) this.passed.set(code, time)
    if (nearest === undefined || this.counted.has(nearest)) return null
    if (time - (this.passed.get(nearest) ?? -Infinity) < PASSED) return null
    this.counted.set(nearest, null)
    return nearest
  }
}
