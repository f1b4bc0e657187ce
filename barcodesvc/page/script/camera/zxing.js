/**
 * How zxing-cpp reads a picture in the worker, and what its codes mean, as in the service
 * (barcodesvc/scanning/images/one_look.py).
 *
 * Rule: a text is what a scanner would send.
 */

import { areNear, extended } from './places.js'

/** @typedef {import('./types.js').Code} Code */
/** @typedef {import('./types.js').Point} Point */
/** @typedef {{topLeft: Point, topRight: Point, bottomRight: Point, bottomLeft: Point}} Position */
/** @typedef {{text: string, format: string, symbology: string, symbologyIdentifier: string, contentType: string, position: Position}} Found */

/** Symbologies that it finds only where lines of pixels cross them, and those that it finds at any angle. */
const LINEAR = ['Codabar', 'Code128', 'Code39Std', 'Code93', 'DataBar', 'EANUPC', 'ITF', 'PZN']
const MATRIX = ['Aztec', 'DataMatrix', 'PDF417', 'QRCode']

/** Digits of a retail number, without those of an add-on. */
const EAN13_DIGITS = 13

/**
 * Return the codes of a picture, or null if it cannot be read.
 *
 * @param {(picture: object, options: object) => Promise<Found[]>} readBarcodes
 * @param {{picture: object, isTurned: boolean}} asked
 */
export async function readPicture(readBarcodes, { picture, isTurned }) {
  const formats = [...LINEAR, ...(isTurned ? ['DataMatrix'] : MATRIX)]
  const found = await readBarcodes(picture, { textMode: 'Plain', eanAddOnSymbol: 'Read', formats }).catch(() => null)
  return found && codesOf(found)
}

/** Return the codes of a picture; of a number with and without its add-on, the longer text, along the lines of both. @type {(found: Found[]) => Code[]} */
function codesOf(found) {
  const codes = found.map(codeOf)
  const whole = codes.filter(({ text }) => !codes.some((other) => other.text.startsWith(`${text}+`)))
  return whole.map(({ text, type, position }) => {
    const numbers = codes.filter((other) => text.startsWith(`${other.text}+`) && areNear(other.position, position))
    return { text, type, position: numbers.reduce((place, number) => extended(place, number.position), position) }
  })
}

/** Return a code; a UPC has no leading zero, and an add-on follows a plus. @type {(found: Found) => Code} */
function codeOf({ text, format, symbology, symbologyIdentifier, contentType, position }) {
  const { topLeft, topRight, bottomRight, bottomLeft } = position
  const code = { text, type: symbology, position: [topLeft, topRight, bottomRight, bottomLeft] }
  if (contentType === 'GS1') return { ...code, text: symbologyIdentifier + text }
  if (symbology !== 'EANUPC') return code
  if (format === 'EAN8') return { ...code, type: format }
  const [number, addOn] = [text.slice(0, EAN13_DIGITS).replace(/^0/, ''), text.slice(EAN13_DIGITS)]
  const type = format === 'EAN13' && text.startsWith('0') ? 'UPCA' : format
  return { ...code, text: addOn ? `${number}+${addOn}` : number, type }
}
