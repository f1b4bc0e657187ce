/**
 * The first free label of each partly used sheet, kept on this device.
 *
 * Rule: after a print it moves on by the labels that were printed. The last label of a sheet is followed by the first one
 * of the next sheet.
 */

import { keptValue } from '../settings.js'
import { capacity } from './sheets.js'

const kept = keptValue('localStorage', 'barcodesvc.free-labels')

/** @typedef {import('./sheets.js').Sheet} Sheet */

/**
 * Return the position of the first free label, from 1.
 *
 * @param {Sheet} sheet
 */
export function firstFree(sheet) {
  const position = positions()[sheet.sheet]
  return typeof position === 'number' && within(sheet, position) === position ? position : 1
}

/**
 * @param {Sheet} sheet
 * @param {number} position
 */
export function keepFirstFree(sheet, position) {
  if (firstFree(sheet) !== position) kept.store({ ...positions(), [sheet.sheet]: position })
}

/**
 * Return the first free label after a print.
 *
 * @param {Sheet} sheet
 * @param {number} first position of the first printed label
 * @param {number} count number of printed labels
 */
export function nextFree(sheet, first, count) {
  return ((first - 1 + count) % capacity(sheet)) + 1
}

/**
 * Return the position on a sheet that is nearest to a number.
 *
 * @param {Sheet} sheet
 * @param {number} position
 */
export function within(sheet, position) {
  return Math.max(1, Math.min(Math.floor(position), capacity(sheet)))
}

/** @returns {Record<string, unknown>} */
function positions() {
  return /** @type {Record<string, unknown>} */ (kept.read()) ?? {}
}
