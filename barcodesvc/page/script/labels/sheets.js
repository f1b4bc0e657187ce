/**
 * Sheets and rolls of labels: their names, their measures, the position of each label, and the first free label of each
 * partly used sheet, which this device keeps. Lengths are in mm.
 *
 * Rule: a name that the service uses (`layout.sheet`) means the same sheet here. Names are compared without case, `-`, `_`
 * and space. After a print, the first free label moves on by the labels that were printed; the last label of a sheet is
 * followed by the first one of the next sheet.
 */

import { LIMITS } from '../api.js'
import { locale, text } from '../language.js'
import { keptValue } from '../settings.js'
import { signal } from '../ui.js'

/** @typedef {import('../types.js').Sheet} Sheet */

/** Regions that print on Letter (Unicode CLDR, paper size); the others print on A4. */
const LETTER = ['BZ', 'CA', 'CL', 'CO', 'CR', 'GT', 'MX', 'NI', 'PA', 'PH', 'PR', 'SV', 'US', 'VE']

/** The sheets that shops use most, by their paper. */
const USUAL = /** @type {Record<'A4' | 'Letter', [string, ...string[]]>} */ ({
  A4: ['L7160', '3474', 'L7163', 'L7651', 'L7165'],
  Letter: ['5160', '5161', '5163', '5164', '5167'],
})

/** Papers whose labels are measured in inches, and the parts of an inch that are written as fractions. */
const INCHES = ['Letter', 'Legal']
const FRACTIONS = ['', '⅛', '¼', '⅓', '⅜', '½', '⅝', '⅔', '¾', '⅞']
const PARTS = [0, 1 / 8, 1 / 4, 1 / 3, 3 / 8, 1 / 2, 5 / 8, 2 / 3, 3 / 4, 7 / 8]
const CLOSE = 0.005

/** Labels by which a key moves the first label, along the row or down the column. */
const STEPS = /** @type {Record<string, [number, number]>} */ ({
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
})

const ALONE = { labels_per_row: 1, labels_per_column: 1, margin_left: 0, margin_top: 0 }

/** Stands for the arrangement of a saved layout that names no sheet: only the service knows its measures. @type {Sheet} */
export const UNNAMED = Object.freeze({
  ...{ ...ALONE, sheet: '', page_size: 'A4' },
  ...{ label_width: 0, label_height: 0, pitch_x: 0, pitch_y: 0 },
})

const freeLabels = keptValue('localStorage', 'barcodesvc.free-labels')

/** How often one of them was kept here: what shows one is drawn again. */
const timesKept = signal(0)

/** Return the names of the usual sheets, the most usual one first. @param {string} [language] of the browser, which implies a region */
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
 * @type {(sheets: Sheet[], language?: string) => [paper: string, sheets: Sheet[]][]}
 */
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

/** Return the number of sheets for `count` labels from position `first` on. @type {(sheet: Sheet, first: number, count: number) => number} */
export function sheetsFor(sheet, first, count) {
  return count === 0 ? 0 : Math.ceil((first - 1 + count) / capacity(sheet))
}

/** Return the state of a label: before the first free one, printed now, or after that. @type {(position: number, first: number, count: number) => 'used' | 'printed' | 'free'} */
export function stateOf(position, first, count) {
  if (position < first) return 'used'
  return position < first + count ? 'printed' : 'free'
}

/** Return the first label that a key (`KeyboardEvent.key`) chooses, or null for one that chooses none. @type {(sheet: Sheet, first: number, key: string) => number | null} */
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

/** Return a roll such as `100x50mm` or `62,5 x 29` as a sheet of one label; null if that is no size of a roll. @type {(size: string) => Sheet | null} */
export function roll(size) {
  const sides = sidesOf(size)
  const [shortest, longest] = LIMITS.roll
  if (!sides || sides.some((side) => side < shortest || side > longest)) return null
  const [label_width, label_height] = sides
  const sheet = `${label_width}x${label_height}mm`
  return { ...ALONE, sheet, page_size: sheet, label_width, label_height, pitch_x: label_width, pitch_y: label_height }
}

/** Return the sheet or the roll of this name, or null if there is none. @type {(sheets: Sheet[], name: string) => Sheet | null} */
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
  const fraction = FRACTIONS[PARTS.findIndex((part) => Math.abs(length - whole - part) < CLOSE)]
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

/** @type {(size: string) => [number, number] | null} */
function sidesOf(size) {
  const number = '(\\d{1,4}(?:[.,]\\d{1,3})?)'
  const [, width, height] = new RegExp(`^${number}\\s*[x×*]\\s*${number}\\s*(?:mm)?$`, 'i').exec(size.trim()) ?? []
  return width && height ? [Number(width.replace(',', '.')), Number(height.replace(',', '.'))] : null
}

/** Return the position of the first free label, from 1. @param {Sheet} sheet */
export function firstFree(sheet) {
  void timesKept.value
  const position = positions()[sheet.sheet]
  return Number.isInteger(position) && position >= 1 && position <= capacity(sheet) ? position : 1
}

/** @type {(sheet: Sheet, position: number) => void} */
export function keepFirstFree(sheet, position) {
  if (firstFree(sheet) === position) return
  freeLabels.store({ ...positions(), [sheet.sheet]: position })
  timesKept.value = timesKept.peek() + 1
}

/** Return the first free label after a print of `count` labels from position `first` on. @type {(sheet: Sheet, first: number, count: number) => number} */
export function nextFree(sheet, first, count) {
  return ((first - 1 + count) % capacity(sheet)) + 1
}

/** @returns {Record<string, any>} */
function positions() {
  return /** @type {Record<string, any>} */ (freeLabels.read()) ?? {}
}
