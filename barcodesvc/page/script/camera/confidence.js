/**
 * How far a reading is to be trusted; as in the service (barcodesvc/symbols/trust.py, barcodesvc/scanning/images/add_ons.py).
 *
 * Rule: a matrix code corrects its errors, so it counts at once, and so does a linear one that many lines have read and whose
 * check is good. Others need a second picture: a blurred one may give another text that closes its check. A low one with a
 * single check digit needs a third. What lines at a slant, or across a part of another code, show as a code never counts.
 */

import { sidesOf, slantOf } from './places.js'

/** @typedef {import('./types.js').Code} Code */

/**
 * Linear symbologies by their names in capital letters. `few`: the height of the lines that read a code, by its width, below
 * which it is in doubt; `usual`: the length from which the height counts by that, as a long code is low though it is upright;
 * `isPart`: whether lines at a slant show it within other codes; `digits`: the check digits of a good check; `modules`: those
 * of a number without its add-on.
 *
 * @type {Record<string, {few?: number, usual?: number, isPart?: boolean, digits?: number, modules?: number}>}
 */
const LINEAR = {
  CODE128: { few: 0.07, digits: 2 },
  'GS1-128': { few: 0.07, digits: 2 },
  CODE93: { few: 0.07, digits: 2 },
  EAN13: { few: 0.07, digits: 1, modules: 95 },
  UPCA: { few: 0.07, digits: 1, modules: 95 },
  PZN: { few: 0.07 },
  CODE39: { few: 0.09 },
  EAN8: { few: 0.09, isPart: true },
  UPCE: { few: 0.09, isPart: true, modules: 51 },
  ITF: { few: 0.09, isPart: true, usual: 14 },
  CODABAR: { few: 0.09, isPart: true, usual: 14 },
}
const MATRIX = /QR|AZTEC|DATAMATRIX|MAXICODE|PDF417/

/** The height of the lines that read a code, by their width, from which there are many of them. */
const MANY_LINES = 0.15

/** Digits below which an ITF is no code: other stripes look like it. */
const FEW_DIGITS = 6

/** The width in pixels of a DataBar below which it may be noise, and the most that its rows may be apart, by its width. */
const NARROW = 75
const SLANTED = 1 / 8

/** Modules between a number and its add-on, and those of the add-on, by its digits. */
const GAP = 9
const ADD_ON = { 2: 20, 5: 47 }
const WITH_ADD_ON = /^(\d{8,13})\+(\d{2}|\d{5})$/

/** @param {string} type */
const trustIn = (type) => LINEAR[type.toUpperCase()] ?? {}

/** Return in how many pictures a code has to be read; infinity if it never counts. @type {(code: Code) => number} */
export function picturesFor(code) {
  if (MATRIX.test(code.type.toUpperCase())) return 1
  if (isNone(code)) return Infinity
  const { digits = 0 } = trustIn(code.type)
  const [width, height] = barsOf(code)
  if (height < MANY_LINES * width) return digits > 1 ? 2 : 3
  return digits ? 1 : 2
}

/**
 * Whether a reading is no code. A UPC-E holds only numbers that begin with 0 (GS1 General Specifications, 5.2.2.4): the bars
 * of those with 1 are the left half of an EAN-13. Rows of a stacked DataBar that are crossed at a slant give another DataBar.
 *
 * @type {(code: Code) => boolean}
 */
function isNone({ text, type, position }) {
  if (type === 'ITF') return text.length < FEW_DIGITS
  if (type === 'UPCE') return text.startsWith('1')
  if (!type.toUpperCase().startsWith('DATABAR')) return false
  return sidesOf(position)[0] < NARROW || Math.abs(slantOf(position)) > SLANTED
}

/** Whether lines at a slant may have read a part of another code. @type {(code: Code) => boolean} */
export function isDoubtful(code) {
  const { few = 0, usual = Infinity } = trustIn(code.type)
  const [width, height] = barsOf(code)
  return height * Math.max(1, code.text.length / usual) < width * few
}

/** Whether lines at a slant show such codes within others. @type {(code: Code) => boolean} */
export const mayBePart = ({ type }) => trustIn(type).isPart ?? false

/** Return the width and the height of a code, without its add-on. @type {(code: Code) => [number, number]} */
function barsOf({ text, type, position }) {
  const [width, height] = sidesOf(position)
  const { modules = 0 } = trustIn(type)
  const addOn = ADD_ON[/** @type {2 | 5} */ (WITH_ADD_ON.exec(text)?.[2]?.length)]
  return [addOn ? (width * modules) / (modules + GAP + addOn) : width, height]
}

/** Return the text by which a code is known. @param {string} text */
export const withoutAddOn = (text) => text.replace(WITH_ADD_ON, '$1')

/** Return a text, or the same with the add-on that another reading of its symbol shows. @type {(text: string, others: string[]) => string} */
export const withAddOnOf = (text, others) =>
  others.reduce((longest, other) => (other.startsWith(`${longest}+`) ? other : longest), text)
