/**
 * Layouts of labels: the four designs, what a saved layout fills into the page, and what is saved and printed after a person
 * has changed that.
 *
 * Rule: what the page has no field for, such as an image, stays as it was saved. So do the measures of
 * a layout that names no sheet.
 */

import { LIMITS } from '../api.js'
import { normalName, roll } from './sheets.js'

/** @typedef {import('../types.js').Layout} Layout */
/** @typedef {import('../types.js').Line} Line */

/** The fields that print a field of the product, and the lines that do the same. */
const FIELDS = /** @type {Record<string, string>} */ ({
  include_description: '{description}',
  include_category: '{category}',
  include_unit: '{unit_of_measure}',
})

/** What the kiosk prints without a layout. @type {Layout} */
export const NEW = { include_description: true }

/** The designs to choose from, in this order. No saved layout has such a name. */
export const DESIGNS = [':price-tag', ':shelf', ':small', ':code-only']

/** The design of a new device. */
export const USUAL_DESIGN = ':shelf'

/** What the attribute with the price is called in many shops, in the languages of the page. */
const PRICE = /price|preis|prix|precio|pvp|brutto|rrp|uvp/

/**
 * Return the layout of a design, without a sheet.
 *
 * @param {string} design one of DESIGNS
 * @param {string[]} attributes of the products to print
 * @returns {Layout}
 */
export function designed(design, attributes) {
  const price = attributes.find((name) => PRICE.test(name))
  const name = { text: '{description}', bold: true, place: 'above' }
  const tag = price ? [{ text: `{attributes.${price}}`, size: 24, bold: true, place: 'above' }] : []
  if (design === ':price-tag') return { lines: [{ ...name, size: 11 }, ...tag], bar_height: 12 }
  if (design === ':shelf') return { lines: [{ ...name, size: 14 }, '{category}'], bar_height: 15 }
  if (design === ':small') return { lines: [{ ...name, size: 7 }], bar_height: 8, font_size: 6 }
  return { lines: [] }
}

/**
 * Return a layout with the sheet and the lines of the page. Without a sheet, the arrangement stays as it is.
 *
 * @param {Layout} layout
 * @param {string} sheet
 * @param {Line[]} lines
 * @returns {Layout}
 */
export function changedLayout(layout, sheet, lines) {
  return sheet ? { ...without(layout, LIMITS.arrangement), lines, sheet } : { ...layout, lines }
}

/**
 * Return what a layout says of labels on what is in a printer. As in the service, one for another page does not say where
 * they are on a roll: its corrections are those of that page.
 *
 * @param {Layout} layout
 * @param {string} held name of a sheet or a roll
 */
export function layoutOn(layout, held) {
  const size = roll(held)?.sheet
  const isOther = size !== undefined && size !== roll(sheetOf(layout))?.sheet
  return without(layout, isOther ? [...LIMITS.arrangement, ...LIMITS.corrections] : LIMITS.arrangement)
}

/** @type {(layout: Layout, names: string[]) => Layout} */
function without(layout, names) {
  return Object.fromEntries(Object.entries(layout).filter(([name]) => !names.includes(name)))
}

/**
 * Return the name of the sheet of a layout; empty if it has other measures.
 *
 * @param {Layout} layout
 */
export function sheetOf({ sheet }) {
  return typeof sheet === 'string' ? sheet : ''
}

/**
 * Return a layout with the fields of the product as lines, which print the same; with too many lines it stays as it is.
 *
 * @param {Layout} layout
 * @returns {Layout}
 */
export function inLines(layout) {
  const fields = Object.entries(FIELDS).filter(([name]) => layout[name] === true)
  const lines = [...fields.map(([, line]) => line), ...linesOf(layout)]
  return lines.length > LIMITS.lines ? layout : { ...without(layout, Object.keys(FIELDS)), lines }
}

/** Whether two layouts print the same. @type {(one: Layout, other: Layout) => boolean} */
export function isSame(one, other) {
  return written(one) === written(other)
}

/** @param {Layout} layout */
function written(layout) {
  const plain = inLines(layout)
  const whole = { ...plain, lines: linesOf(plain).map(lineOf), sheet: normalName(sheetOf(layout)) }
  return JSON.stringify(Object.entries(whole).sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** @param {Layout} layout */
export function linesOf({ lines }) {
  return Array.isArray(lines) ? /** @type {Line[]} */ (lines) : []
}

/**
 * Return a line as it is sent: with what is not usual in it, and so mostly as its text alone.
 *
 * @param {Line} line
 * @returns {Line}
 */
export function lineOf(line) {
  if (typeof line === 'string') return line
  const { text, size, bold, place } = line
  const unusual = { ...(size && { size }), ...(bold && { bold }), ...(place === 'above' && { place }) }
  return Object.keys(unusual).length ? { text, ...unusual } : text
}

/** Return the lines as they are sent: without those that are empty. @param {Line[]} lines */
export function filledLines(lines) {
  const trimmed = lines.map((line) => (typeof line === 'string' ? line.trim() : { ...line, text: line.text.trim() }))
  return trimmed.filter((line) => (typeof line === 'string' ? line : line.text)).map(lineOf)
}

/**
 * Return the name that a typed text means: `Regal groß` is `Regal-gross`; empty if it means none.
 *
 * @param {string} typed
 */
export function layoutName(typed) {
  const plain = typed
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
  return plain
    .replace(/^[-.]+/, '')
    .slice(0, LIMITS.layout_name)
    .replace(/-+$/, '')
}
