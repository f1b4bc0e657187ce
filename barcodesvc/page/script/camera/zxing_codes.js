/**
 * How zxing-cpp reads a picture here, and what its codes mean; as in the service
 * (barcodesvc/scanning/images/one_look.py).
 *
 * Rule: a text is what a scanner would send.
 */

import { areNear, extended } from './places.js'

/** @typedef {{x: number, y: number}} Point */
/** @typedef {{topLeft: Point, topRight: Point, bottomRight: Point, bottomLeft: Point}} Position */
/** @typedef {{text: string, format: string, symbology: string, symbologyIdentifier: string, contentType: string, position: Position}} Found */
/** @typedef {{text: string, type: string, position: Point[]}} Code `type` is the symbology */

/** Symbologies that it finds only where lines of pixels cross them without their ends. */
const LINEAR = ['Codabar', 'Code128', 'Code39Std', 'Code93', 'DataBar', 'EANUPC', 'ITF', 'PZN']

const MATRIX = ['Aztec', 'DataMatrix', 'PDF417', 'QRCode']

/** Digits of a retail number, without those of an add-on. */
const EAN13_DIGITS = 13

const OPTIONS = { textMode: 'Plain', eanAddOnSymbol: 'Read' }

/** @param {boolean} isTurned whether the picture is turned: matrix codes are found at any angle */
export function readingOptions(isTurned) {
  return { ...OPTIONS, formats: isTurned ? [...LINEAR, 'DataMatrix'] : [...LINEAR, ...MATRIX] }
}

/**
 * Return what the page needs of the codes of a picture, without their bytes and symbols; null if it cannot be read.
 * @param {(picture: object, options: object) => Promise<Found[]>} readBarcodes
 * @param {{picture: object, options: object}} asked @returns {Promise<Found[] | null>}
 */
export async function readPicture(readBarcodes, { picture, options }) {
  try {
    return (await readBarcodes(picture, options)).map(plain)
  } catch {
    return null
  }
}

/** @param {Found} found @returns {Found} */
function plain({ text, format, symbology, symbologyIdentifier, contentType, position }) {
  return { text, format, symbology, symbologyIdentifier, contentType, position }
}

/**
 * Return the codes of a picture; of a number with and without its add-on, the longer text, along the lines of both.
 * @param {Found[]} found @returns {Code[]}
 */
export function codesOf(found) {
  const codes = found.map(codeOf)
  const whole = codes.filter(({ text }) => !codes.some((other) => other.text.startsWith(`${text}+`)))
  return whole.map((code) => ({ ...code, position: alongAllLines(code, codes) }))
}

/** @param {Code} code @param {Code[]} codes */
function alongAllLines({ text, position }, codes) {
  const numbers = codes.filter((other) => text.startsWith(`${other.text}+`) && areNear(other.position, position))
  return numbers.reduce((place, number) => extended(place, number.position), position)
}

/** @param {Found} found @returns {Code} */
function codeOf({ text, format, symbology, symbologyIdentifier, contentType, position }) {
  const { topLeft, topRight, bottomRight, bottomLeft } = position
  const code = { text, type: symbology, position: [topLeft, topRight, bottomRight, bottomLeft] }
  if (contentType === 'GS1') return { ...code, text: symbologyIdentifier + text }
  if (symbology !== 'EANUPC') return code
  if (format === 'EAN8') return { ...code, type: format }
  return { ...code, text: retail(text), type: format === 'EAN13' && text.startsWith('0') ? 'UPCA' : format }
}

/** Return a number of 13 digits, those of a UPC without their leading zero, with its add-on. @param {string} digits */
function retail(digits) {
  const number = digits.slice(0, EAN13_DIGITS).replace(/^0/, '')
  const addOn = digits.slice(EAN13_DIGITS)
  return addOn ? `${number}+${addOn}` : number
}
