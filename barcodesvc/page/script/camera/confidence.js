/**
 * How often a code has to be read before it counts, by its symbology and by how many lines have read it.
 *
 * Rule: a matrix code corrects its errors, so it counts at once. So does a linear code that many lines have read and whose
 * check is strong. Others need a second picture, because a blurred one may give another text that closes its check; a low
 * one that has a single check digit needs a third. What lines at a slant, or across a part of another code, show as a whole
 * code never counts.
 */

import { barsOf } from './add_ons.js'
import { sidesOf, slantOf } from './places.js'

/** @typedef {{text: string, type: string, position: import('./places.js').Point[]}} Code */

/** Symbologies that are not linear, as zxing-cpp, the browser's detector or the service names them. */
const MATRIX = /QR|AZTEC|DATAMATRIX|MAXICODE|PDF417/

/** Linear symbologies with more than one check digit, of which a blurred picture hardly shows another text. */
const SEVERAL_DIGITS = /^(CODE128|CODE93|GS1-128)$/

/** Those whose check is strong, as far as many lines have read it; any other one is weak, also one that is unknown. */
const STRONG = new RegExp(`^(EAN13|UPCA)$|${SEVERAL_DIGITS.source}`)

/** The height of the lines that read a code, by their width, from which there are many of them. */
const MANY_LINES = 0.15

/** Digits below which an ITF is no code: other stripes look like it. The service has the same rule. */
const FEW_DIGITS = 6

/** The width in pixels of a DataBar below which it may be noise, and the most that its rows may be apart, by its width. */
const NARROW = 75
const SLANTED = 1 / 8

/** Return in how many pictures a code has to be read; infinity if it never counts. @param {Code} code */
export function picturesFor({ text, type, position }) {
  const name = nameOf(type)
  if (MATRIX.test(name)) return 1
  if (mayBePart(name, text, position)) return Infinity
  const [width, height] = barsOf({ text, type, position })
  if (height < MANY_LINES * width) return SEVERAL_DIGITS.test(name) ? 2 : 3
  return STRONG.test(name) ? 1 : 2
}

/**
 * A UPC-E holds only numbers that begin with 0 (GS1 General Specifications, 5.2.2.4). The bars of those with 1 are the left
 * half of an EAN-13. Rows of a stacked DataBar that are crossed at a slant give another DataBar.
 * @param {string} name @param {string} text @param {import('./places.js').Point[]} position
 */
function mayBePart(name, text, position) {
  if (name === 'ITF') return text.length < FEW_DIGITS
  if (name === 'UPCE') return text.startsWith('1')
  return name.startsWith('DATABAR') && (sidesOf(position)[0] < NARROW || Math.abs(slantOf(position)) > SLANTED)
}

/** @param {string} type */
function nameOf(type) {
  return type.replaceAll('_', '').toUpperCase()
}
