/** How a sheet is called: its name, the number of its labels and their size. */

import { text } from '../language.js'
import { capacity } from './sheets.js'

/** @typedef {import('./sheets.js').Sheet} Sheet */

/**
 * Return the number and the size of the labels, `21 of 63.5 × 38.1 mm`, or of a roll the size alone.
 *
 * @param {Sheet} sheet
 */
export function labelSize(sheet) {
  const count = capacity(sheet)
  const values = { count, width: sheet.label_width, height: sheet.label_height }
  return text(count > 1 ? 'labels.size' : 'labels.size.roll', values)
}

/**
 * Return the name and the labels of a sheet: `L7160 · 21 of 63.5 × 38.1 mm`.
 *
 * @param {Sheet} sheet
 */
export function sheetName(sheet) {
  return `${capacity(sheet) > 1 ? sheet.sheet : text('labels.roll')} · ${labelSize(sheet)}`
}
