/**
 * Sheets and rolls of labels: their names, their measures, and the position of each label. Lengths are in mm.
 *
 * Rule: a name that the service uses (`layout.sheet`) means the same sheet here. Names are compared without case, `-`, `_`
 * and space.
 */

import { locale, text } from '../language.js'
import { LIMITS } from '../api.js'

/** Regions that print on Letter (Unicode CLDR, paper size); the others print on A4. */
const LETTER = ['BZ', 'CA', 'CL', 'CO', 'CR', 'GT', 'MX', 'NI', 'PA', 'PH', 'PR', 'SV', 'US', 'VE']

/** The sheets that shops use most, by their paper. */
const USUAL = /** @type {Record<'A4' | 'Letter', [string, ...string[]]>} */ ({
  A4: ['L7160', '3474', 'L7163', 'L7651', 'L7165'],
  Letter: ['5160', '5161', '5163', '5164', '5167'],
})

/** Papers whose labels are measured in inches, and the parts of an inch that are written as fractions. */
const INCHES = ['Letter', 'Legal']
const FRACTIONS = {
  '': 0,
  '⅛': 1 / 8,
  '¼': 1 / 4,
  '⅓': 1 / 3,
  '⅜': 3 / 8,
  '½': 1 / 2,
  '⅝': 5 / 8,
  '⅔': 2 / 3,
  '¾': 3 / 4,
  '⅞': 7 / 8,
}
const CLOSE = 0.005

/** Labels by which a key moves the first label, along the row or down the column. */
const STEPS = /** @type {Record<string, [number, number]>} */ ({
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
})

/** @typedef {import('../types.js').Sheet} Sheet */
/** @typedef {{position: number, x: number, y: number, width: number, height: number}} Label */

/** Stands for the arrangement of a saved layout that names no sheet: only the service knows its measures. @type {Sheet} */
export const UNNAMED = Object.freeze({
  sheet: '',
  page_size: 'A4',
  labels_per_row: 1,
  labels_per_column: 1,
  label_width: 0,
  label_height: 0,
  margin_left: 0,
  margin_top: 0,
  pitch_x: 0,
  pitch_y: 0,
})

/**
 * Return the names of the usual sheets, the most usual one first.
 *
 * @param {string} [language] the browser's, which names its region, or at least implies it
 */
export function usualSheets(language = navigator.language) {
  return USUAL[paperOf(language)]
}

/** Return the paper of a region. Browsers may have tags that are none, such as `en-US@posix`. @param {string} language */
function paperOf(language) {
  const [tag = 'en'] = /^[a-z]{2,3}(-[a-z]{2}\b)?/i.exec(language) ?? []
  return LETTER.includes(new Intl.Locale(tag).maximize().region ?? '') ? 'Letter' : 'A4'
}

/**
 * Return sheets in groups by their paper, that of the region and the usual ones first.
 *
 * @param {Sheet[]} sheets
 * @returns {[paper: string, sheets: Sheet[]][]}
 */
export function sheetsByPaper(sheets, language = navigator.language) {
  const papers = [...new Set([paperOf(language), ...sheets.map(({ page_size }) => page_size)])]
  return papers.map((paper) => {
    const usual = Object.values(USUAL).flat()
    const others = sheets.filter(({ page_size, sheet }) => page_size === paper && !usual.includes(sheet))
    const first = usual.flatMap((name) => sheets.filter((each) => each.sheet === name && each.page_size === paper))
    return [paper, [...first, ...others]]
  })
}

/**
 * Return the labels of a sheet in the order of printing.
 *
 * @param {Sheet} sheet
 * @returns {Label[]}
 */
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

/**
 * Return the number of printed sheets.
 *
 * @param {Sheet} sheet
 * @param {number} first position of the first label that is printed, from 1
 * @param {number} count number of labels to print
 */
export function sheetsFor(sheet, first, count) {
  return count === 0 ? 0 : Math.ceil((first - 1 + count) / capacity(sheet))
}

/**
 * Return the state of a label: `used` before the first free one, `printed`, or `free` after that.
 *
 * @param {number} position
 * @param {number} first
 * @param {number} count
 */
export function stateOf(position, first, count) {
  if (position < first) return 'used'
  return position < first + count ? 'printed' : 'free'
}

/**
 * Return the first label that a key chooses, or null for a key that chooses none.
 *
 * @param {Sheet} sheet
 * @param {number} first
 * @param {string} key as `KeyboardEvent.key` names it
 */
export function stepped(sheet, first, key) {
  if (key === 'Home') return 1
  if (key === 'End') return capacity(sheet)
  const [across, down] = STEPS[key] ?? [0, 0]
  if (!across && !down) return null
  const next = first + across + down * sheet.labels_per_row
  return next >= 1 && next <= capacity(sheet) ? next : first
}

/** Return the width and height of a sheet's page. @type {(sheet: Sheet) => [number, number]} */
export function pageOf({ page_size }) {
  return LIMITS.pages[page_size] ?? sidesOf(page_size) ?? [210, 297]
}

/**
 * Return a roll as a sheet of one label, or null if the text is not a valid size of a roll.
 *
 * @param {string} size such as `100x50mm` or `62,5 x 29`
 * @returns {Sheet | null}
 */
export function roll(size) {
  const sides = sidesOf(size)
  const [shortest, longest] = LIMITS.roll
  if (!sides || sides.some((side) => side < shortest || side > longest)) return null
  const [label_width, label_height] = sides
  const sheet = `${label_width}x${label_height}mm`
  const alone = { labels_per_row: 1, labels_per_column: 1, margin_left: 0, margin_top: 0 }
  return { sheet, page_size: sheet, label_width, label_height, pitch_x: label_width, pitch_y: label_height, ...alone }
}

/**
 * Return the sheet or the roll of this name, or null if there is none.
 *
 * @param {Sheet[]} sheets that the service knows by name
 * @param {string} name
 */
export function sheetNamed(sheets, name) {
  return sheets.find(({ sheet }) => normalName(sheet) === normalName(name)) ?? roll(name)
}

/**
 * Return the number and the size of the labels, `21 of 63.5 × 38.1 mm`, on American paper `30 of 2⅝ × 1 in`, or of a roll
 * the size alone.
 *
 * @param {Sheet} sheet
 */
export function labelSize(sheet) {
  const { label_width: width, label_height: height } = sheet
  const values = INCHES.includes(sheet.page_size)
    ? { width: inches(width), height: inches(height), unit: 'in' }
    : { width, height, unit: 'mm' }
  const count = capacity(sheet)
  return text(count > 1 ? 'labels.size' : 'labels.size.roll', { count, ...values })
}

/** Return a length in inches, with the fraction that packages have. @param {number} mm */
function inches(mm) {
  const length = mm / 25.4
  const whole = Math.floor(length + CLOSE)
  const [fraction] = Object.entries(FRACTIONS).find(([, part]) => Math.abs(length - whole - part) < CLOSE) ?? []
  if (fraction === undefined) return new Intl.NumberFormat(locale(), { maximumFractionDigits: 2 }).format(length)
  return fraction ? `${whole || ''}${fraction}` : String(whole)
}

/** Return the name and the labels of a sheet: `L7160 · 21 of 63.5 × 38.1 mm`. @param {Sheet} sheet */
export function sheetName(sheet) {
  return `${capacity(sheet) > 1 ? sheet.sheet : text('labels.roll')} · ${labelSize(sheet)}`
}

/** Return a name as it is compared. @param {string} name */
export function normalName(name) {
  return name.toLowerCase().replace(/[-_\s]/g, '')
}

/**
 * @param {string} size
 * @returns {[number, number] | null}
 */
function sidesOf(size) {
  const number = '(\\d{1,4}(?:[.,]\\d{1,3})?)'
  const [, width, height] = new RegExp(`^${number}\\s*[x×*]\\s*${number}\\s*(?:mm)?$`, 'i').exec(size.trim()) ?? []
  return width && height ? [Number(width.replace(',', '.')), Number(height.replace(',', '.'))] : null
}
