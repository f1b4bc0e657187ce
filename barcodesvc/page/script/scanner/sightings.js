/**
 * What a camera sees anew: a code that stays in the picture is one sighting, however often it is read.
 *
 * Rule: a code is gone when it was missing in `FRAMES` pictures in a row, and for `ABSENCE` at least: one blurred
 * picture does not end a sighting. Times are milliseconds of any clock.
 */

const FRAMES = 2
const ABSENCE = 700

export class Sightings {
  constructor() {
    /** @type {Map<string, {last: number, missed: number}>} */
    this.present = new Map()
  }

  /**
   * Take what one picture shows, and return the codes that were not there before it.
   *
   * @param {string[]} codes
   * @param {number} time when the picture was taken
   */
  see(codes, time) {
    const seen = new Set(codes)
    for (const [code, sighting] of this.present) {
      if (seen.has(code)) continue
      sighting.missed += 1
      if (sighting.missed >= FRAMES && time - sighting.last >= ABSENCE) this.present.delete(code)
    }
    const fresh = [...seen].filter((code) => !this.present.has(code))
    for (const code of seen) this.present.set(code, { last: time, missed: 0 })
    return fresh
  }
}
