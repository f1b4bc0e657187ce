/** The choice of a symbology. The first is the best one for each code, as the service chooses it. */

import { text } from '../language.js'
import { choice } from '../choice.js'

/** The service's name for the symbology that suits each code. */
export const BEST = 'best'

/**
 * @param {string} label
 * @param {{format: string}[]} formats that the service knows
 * @param {string} chosen
 * @param {(symbology: string) => void} changed
 */
export function symbologyChoice(label, formats, chosen, changed) {
  const named = formats.map(({ format }) => /** @type {[string, string]} */ ([format, format]))
  return choice(label, [[BEST, text('labels.symbology.best')], ...named], chosen, changed)
}
