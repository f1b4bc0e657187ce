/**
 * Layouts of labels: what a saved one fills into the page, and what is saved and printed after a person has changed that.
 *
 * Rule: what the page has no field for, such as an image, stays as it was saved. So do the measures of
 * a layout that names no sheet.
 */

import { normalName, roll } from './sheets.js'

/** The fields that arrange labels on paper. The sheet of the page replaces all of them. */
const ARRANGEMENT = [
  'sheet',
  'page_size',
  'labels_per_row',
  'labels_per_column',
  'label_width',
  'label_height',
  'margin_left',
  'margin_top',
  'pitch_x',
  'pitch_y',
]

/** The fields that correct where a printer prints a page. */
const CORRECTIONS = ['offset_x', 'offset_y', 'scale']

/** What a layout is that says nothing of it, among the fields of the page. */
const NOTHING = { sheet: '', include_description: false, include_category: false, include_unit: false, lines: [] }

/** Characters of a name (the service's limit). */
const LONGEST_NAME = 64

/**
 * The fields of `layout`, as the service has them.
 *
 * @typedef {Record<string, unknown>} Layout
 * @typedef {{name: string, layout: Layout}} SavedLayout
 * @typedef {string | {text: string, size?: number, bold?: boolean}} Line
 */

/** What a new layout has below the code. @type {Layout} */
export const NEW = { include_description: true }

/**
 * Return a layout with the sheet and the text of the page. Without a sheet, the arrangement stays as it is.
 *
 * @param {Layout} layout
 * @param {string} sheet
 * @param {Layout} text the fields for the text below a code
 * @returns {Layout}
 */
export function changedLayout(layout, sheet, text) {
  return sheet ? { ...without(layout, ARRANGEMENT), ...text, sheet } : { ...layout, ...text }
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
  return without(layout, isOther ? [...ARRANGEMENT, ...CORRECTIONS] : ARRANGEMENT)
}

/**
 * Return a layout without some fields.
 *
 * @param {Layout} layout
 * @param {string[]} names
 * @returns {Layout}
 */
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
 * Whether two layouts print the same.
 *
 * @param {Layout} one
 * @param {Layout} other
 */
export function isSame(one, other) {
  return written(one) === written(other)
}

/** @param {Layout} layout */
function written(layout) {
  const lines = linesOf(layout).map(lineOf)
  const whole = { ...NOTHING, ...layout, lines, sheet: normalName(sheetOf(layout)) }
  return JSON.stringify(Object.entries(whole).sort(([one], [other]) => (one < other ? -1 : 1)))
}

/**
 * Return the lines of a layout.
 *
 * @param {Layout} layout
 */
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
  const { text, size, bold } = line
  return size || bold ? { text, ...(size && { size }), ...(bold && { bold }) } : text
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
    .slice(0, LONGEST_NAME)
    .replace(/-+$/, '')
}
