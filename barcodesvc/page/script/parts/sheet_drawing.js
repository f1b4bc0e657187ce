/** A sheet of labels drawn to scale, on which the first free label is chosen. */

import { drawn } from '../dom.js'
import { text } from '../language.js'

/** Pages by their names, in mm (ISO 216; ANSI/ASME Y14.1). */
const PAGES = /** @type {Record<string, [number, number]>} */ ({
  A3: [297, 420],
  A4: [210, 297],
  A5: [148, 210],
  A6: [105, 148],
  Letter: [215.9, 279.4],
  Legal: [215.9, 355.6],
})

/**
 * The measures of a sheet as `GET /api/codes/sheets` names them, in mm.
 *
 * @typedef {{sheet: string, page_size: string, labels_per_row: number, labels_per_column: number, label_width: number, label_height: number, margin_left: number, margin_top: number, pitch_x: number, pitch_y: number}} Sheet
 */

/**
 * Return the labels of a sheet in the order in which they are printed.
 *
 * @param {Sheet} sheet
 */
export function labelsOf({
  labels_per_row,
  labels_per_column,
  label_width,
  label_height,
  margin_left,
  margin_top,
  pitch_x,
  pitch_y,
}) {
  return Array.from({ length: labels_per_row * labels_per_column }, (_, index) => ({
    position: index + 1,
    x: margin_left + (index % labels_per_row) * pitch_x,
    y: margin_top + Math.floor(index / labels_per_row) * pitch_y,
    width: label_width,
    height: label_height,
  }))
}

/**
 * Return a roll as a sheet of one label, or null where the text names no size.
 *
 * @param {string} size such as `100x50mm`
 * @returns {Sheet | null}
 */
export function roll(size) {
  const [, width, height] = /^(\d+(?:\.\d+)?)\s*[x×]\s*(\d+(?:\.\d+)?)\s*(?:mm)?$/i.exec(size.trim()) ?? []
  if (!width || !height) return null
  const sheet = `${width}x${height}mm`
  const [label_width, label_height] = [Number(width), Number(height)]
  const alone = { labels_per_row: 1, labels_per_column: 1, margin_left: 0, margin_top: 0 }
  return {
    sheet,
    page_size: sheet.replace('mm', ''),
    label_width,
    label_height,
    pitch_x: label_width,
    pitch_y: label_height,
    ...alone,
  }
}

/**
 * Return the drawing. What is used up and what will be printed look different; a tap chooses the first label.
 *
 * @param {Sheet} sheet
 * @param {number} first position of the first label that is printed, from 1
 * @param {number} count labels that are printed
 * @param {(position: number) => void} choose
 */
export function sheetDrawing(sheet, first, count, choose) {
  const [paperWidth, paperHeight] = pageOf(sheet)
  const cells = labelsOf(sheet).map((label) => {
    const state = label.position < first ? 'used' : label.position < first + count ? 'printed' : 'free'
    const { x, y, width, height, position } = label
    return drawn('rect', {
      x,
      y,
      width,
      height,
      rx: 1,
      class: state,
      'data-position': position,
      onclick: () => choose(position),
    })
  })
  return drawn(
    'svg',
    {
      class: 'sheet',
      viewBox: `-1 -1 ${paperWidth + 2} ${paperHeight + 2}`,
      role: 'img',
      'aria-label': text('labels.sheet.drawing', { first, count }),
    },
    drawn('rect', { class: 'paper', x: 0, y: 0, width: paperWidth, height: paperHeight }),
    ...cells,
  )
}

/** @param {Sheet} sheet */
function pageOf({ page_size }) {
  const [width, height] = page_size.split('x').map(parseFloat)
  return PAGES[page_size] ?? [width || 210, height || 297]
}
