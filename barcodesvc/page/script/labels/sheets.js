/**
 * Sheets and rolls of labels: their names, their measures in mm, the position of each label, and the first free label of
 * each partly used sheet, which this device keeps.
 *
 * Rule: a name that the service uses (`layout.sheet`) means the same sheet here. Names are compared without case, `-`, `_`
 * and space. After a print, the first free label moves on by the labels that were printed, over the end of the sheet.
 */

import { LIMITS } from '../api.js'
import { locale, text } from '../language.js'
import { keptValue } from '../settings.js'

/** @import {Place, Sheet} from '../types.js' */

/** Regions that print on Letter (Unicode CLDR, paper size); the others print on A4. */
const LETTER = ['BZ', 'CA', 'CL', 'CO', 'CR', 'GT', 'MX', 'NI', 'PA', 'PH', 'PR', 'SV', 'US', 'VE']

/** The sheets that shops use most, by their paper. */
const USUAL = /** @type {Record<'A4' | 'Letter', [string, ...string[]]>} */ ({
  A4: ['L7160', '3474', 'L7163', 'L7651', 'L7165'],
  Letter: ['5160', '5161', '5163', '5164', '5167'],
})

/** The fractions of an inch that packages have, by twenty-fourths. */
/** @type {Record<number, string>} */
const FRACTIONS = { 0: '', 3: '⅛', 6: '¼', 8: '⅓', 9: '⅜', 12: '½', 15: '⅝', 16: '⅔', 18: '¾', 21: '⅞' }

const ALONE = { labels_per_row: 1, labels_per_column: 1, margin_left: 0, margin_top: 0 }

/** Stands for the arrangement of a saved layout that names no sheet: only the service knows its measures. @type {Sheet} */
export const UNNAMED = { ...ALONE, sheet: '', page_size: 'A4', label_width: 0, label_height: 0, pitch_x: 0, pitch_y: 0 }

/** The first free label of each sheet. */
const freeLabels = keptValue('localStorage', 'barcodesvc.free-labels')

/** Return the names of the usual sheets, the most usual one first. @param {string} [language] of the browser, which implies a region */
export function usualSheets(language = navigator.language) {
  return USUAL[paperOf(language)]
}

/** Return the paper of a region. Browsers may have tags that are none, such as `en-US@posix`. @param {string} language */
function paperOf(language) {
  const [tag = 'en'] = /^[a-z]{2,3}(-[a-z]{2}\b)?/i.exec(language) ?? []
  return LETTER.includes(new Intl.Locale(tag).maximize().region ?? '') ? 'Letter' : 'A4'
}

/** Return sheets in groups by their paper, that of the region and the usual ones first. @type {(sheets: Sheet[], language?: string) => [paper: string, sheets: Sheet[]][]} */
export function sheetsByPaper(sheets, language = navigator.language) {
  const usual = Object.values(USUAL).flat()
  const rank = (/** @type {Sheet} */ { sheet }) => (usual.includes(sheet) ? usual.indexOf(sheet) : usual.length)
  const ranked = [...sheets].sort((one, other) => rank(one) - rank(other))
  const papers = [...new Set([paperOf(language), ...sheets.map(({ page_size }) => page_size)])]
  return papers.map((paper) => [paper, ranked.filter(({ page_size }) => page_size === paper)])
}

/** Return the labels of a sheet in the order of printing. @param {Sheet} sheet */
export function labelsOf(sheet) {
  return Array.from({ length: capacity(sheet) }, (_, index) => ({
    position: index + 1,
    x: sheet.margin_left + (index % sheet.labels_per_row) * sheet.pitch_x,
    y: sheet.margin_top + Math.floor(index / sheet.labels_per_row) * sheet.pitch_y,
    width: sheet.label_width,
    height: sheet.label_height,
  }))
}

/** Return the number of labels on a sheet. @param {Sheet} sheet */
export function capacity({ labels_per_row, labels_per_column }) {
  return labels_per_row * labels_per_column
}

/** Return the first label that a key (`KeyboardEvent.key`) chooses, or null for one that chooses none. @type {(sheet: Sheet, first: number, key: string) => number | null} */
export function stepped(sheet, first, key) {
  const [row, last] = [sheet.labels_per_row, capacity(sheet)]
  /** @type {Record<string, number>} */
  const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -row, ArrowDown: row, Home: 1 - first, End: last - first }
  const step = steps[key]
  if (step === undefined) return null
  const next = first + step
  return next >= 1 && next <= last ? next : first
}

/** Return a roll such as `100x50mm` or `62,5 x 29` as a sheet of one label; null if that is no size of a roll. @type {(size: string) => Sheet | null} */
export function roll(size) {
  const number = '(\\d{1,4}(?:[.,]\\d{1,3})?)'
  const found = new RegExp(`^${number}\\s*[x×*]\\s*${number}\\s*(?:mm)?$`, 'i').exec(size.trim())
  const [width = 0, height = 0] = found?.slice(1).map((side) => Number(side.replace(',', '.'))) ?? []
  const [shortest, longest] = LIMITS.roll
  if (Math.min(width, height) < shortest || Math.max(width, height) > longest) return null
  const sheet = `${width}x${height}mm`
  const sides = { label_width: width, label_height: height, pitch_x: width, pitch_y: height }
  return { ...ALONE, ...sides, sheet, page_size: sheet }
}

/** Return the sheet or the roll of this name, or null if there is none. @type {(sheets: Sheet[], name: string) => Sheet | null} */
export function sheetNamed(sheets, name) {
  return sheets.find(({ sheet }) => normalName(sheet) === normalName(name)) ?? roll(name)
}

/** Return the number and the size of the labels, `21 of 63.5 × 38.1 mm`, on American paper `30 of 2⅝ × 1 in`, or of one label the size alone. @param {Sheet} sheet */
export function labelSize(sheet, count = capacity(sheet)) {
  const { label_width: width, label_height: height } = sheet
  const values = ['Letter', 'Legal'].includes(sheet.page_size)
    ? { width: inches(width), height: inches(height), unit: 'in' }
    : { width, height, unit: 'mm' }
  return text(count > 1 ? 'labels.size' : 'labels.size.roll', { count, ...values })
}

/** Return a length in inches, with the fraction that packages have. @param {number} mm */
function inches(mm) {
  const parts = Math.round((24 * mm) / 25.4)
  const fraction = FRACTIONS[parts % 24]
  if (fraction !== undefined && Math.abs(parts / 24 - mm / 25.4) < 0.005)
    return `${Math.floor(parts / 24) || ''}${fraction}`
  return new Intl.NumberFormat(locale(), { maximumFractionDigits: 2 }).format(mm / 25.4)
}

/** Return the name and the labels of a sheet: `L7160 · 21 of 63.5 × 38.1 mm`. @param {Sheet} sheet */
export function sheetName(sheet) {
  return `${capacity(sheet) > 1 ? sheet.sheet : text('labels.roll')} · ${labelSize(sheet)}`
}

/** Return a name as it is compared. @param {string} name */
export function normalName(name) {
  return name.toLowerCase().replace(/[-_\s]/g, '')
}

/** Return the position of the first free label, from 1. @param {Sheet} sheet */
export function firstFree(sheet) {
  const position = positions()[sheet.sheet]
  return Number.isInteger(position) && position >= 1 && position <= capacity(sheet) ? position : 1
}

/** @type {(sheet: Sheet, position: number) => void} */
export function keepFirstFree(sheet, position) {
  if (firstFree(sheet) !== position) freeLabels.store({ ...positions(), [sheet.sheet]: position })
}

/** Move the first free label behind what a print takes. @param {Place} place */
export function takePlace({ sheet, first, count }) {
  keepFirstFree(sheet, nextFree(sheet, first, count))
}

/** Whether the next print would begin behind this one. @param {Place} place */
export function isLast({ sheet, first, count }) {
  return firstFree(sheet) === nextFree(sheet, first, count)
}

/** Give labels back that a print has not used, unless another one has begun behind it. @param {Place} place */
export function giveBack(place, used = 0) {
  if (isLast(place)) takePlace({ ...place, count: used })
}

/** Return the first free label after a print of `count` labels from position `first` on. @type {(sheet: Sheet, first: number, count: number) => number} */
function nextFree(sheet, first, count) {
  return ((first - 1 + count) % capacity(sheet)) + 1
}

/** @returns {Record<string, any>} */
function positions() {
  return /** @type {Record<string, any>} */ (freeLabels.read()) ?? {}
}
