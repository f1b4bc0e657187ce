/**
 * Prints labels: the service makes the PDF, the browser's own dialog prints it.
 *
 * Rule: one document is kept at a time. It is released when the next one comes, so that a day of printing costs no memory.
 * One that does not come, or that its frame does not show, delays the next order only for a while.
 */

import { file, Refusal } from '../api.js'
import { element } from '../dom.js'
import { text } from '../language.js'
import { errorText } from '../failure.js'
import { settings } from '../settings.js'
import { layoutOn } from './layout.js'
import { whyNotPrintable } from './unprintable.js'

/** The previous order: a document on its way to its dialog is not released. @type {Promise<unknown>} */
let before = Promise.resolve()

/** Milliseconds that a document of thousands of labels may take to create, and its frame to show it. */
const MAKING = 120_000
const SHOWING = 10_000

/** Maximum number of displayed problems of an order. */
const PROBLEMS = 5

/** Products after the first one that a preview checks at most. */
const FURTHER = 500

/** @type {{address: string, frame: HTMLIFrameElement | null} | null} */
let printed = null

/** @typedef {import('../types.js').Order} Order */

/**
 * Return an order as the body of `POST /api/codes/printable`, or of a job. The correction of the browser's printer is this
 * device's setting; a printer of the service has the correction in its own.
 *
 * @param {Order} order
 */
export function printRequest(order) {
  const { offsetX, offsetY, scale } = settings()
  const isCorrected = !order.printer && (offsetX !== 0 || offsetY !== 0 || scale !== 100)
  const correction = isCorrected ? { offset_x: offsetX, offset_y: offsetY, scale: scale / 100 } : {}
  return requestOf(order, correction)
}

/**
 * Return an order as a request for a picture of its first label. It has a label of each further product, too, so that a
 * product whose labels cannot be printed is named before they are.
 *
 * @param {Order} order
 */
export function previewRequest(order) {
  const products = order.products.slice(0, 1 + FURTHER).map(({ code }) => ({ code, copies: 1 }))
  return { ...requestOf({ ...order, products }, {}), output: 'png' }
}

/**
 * Return an order for one label alone, which is as large as those of a sheet.
 *
 * @param {Order} order
 * @param {import('../types.js').Sheet} sheet
 * @returns {Order}
 */
export function alone(order, { label_width, label_height }) {
  const { layout = {} } = order
  const { label_width: width = label_width, label_height: height = label_height } = order.sheet
    ? {}
    : /** @type {any} */ (layout)
  const size = `${width}x${height}mm`
  return width && height ? { ...order, sheet: size, first: 1, layout: layoutOn(layout, size) } : order
}

/** @type {(order: Order, correction: object) => {products: object[], code_type: string, layout: Record<string, unknown>}} */
function requestOf({ products, symbology, sheet, first = 1, layout = {} }, correction) {
  const place = sheet && { sheet, start_position: first }
  return { products, code_type: symbology, layout: { ...layout, ...place, ...correction } }
}

/**
 * Print an order: in a hidden frame with its print dialog, or in a tab if the browser shows no PDF in frames.
 *
 * @param {Order} order
 * @returns {Promise<boolean>} false if the browser opened no tab; `openPrinted` does, called by a person's touch
 * @throws {import('../api.js').Refusal | import('../api.js').Unreachable}
 */
export function print(order) {
  const mine = before.then(() => shownOf(order))
  before = mine.catch(() => undefined)
  return mine
}

/**
 * @param {Order} order
 * @returns {Promise<boolean>}
 */
async function shownOf(order) {
  const limit = AbortSignal.timeout(MAKING)
  const labels = await file('POST', '/api/codes/printable', { body: printRequest(order), limit })
  forget()
  printed = { address: URL.createObjectURL(labels), frame: null }
  if (!navigator.pdfViewerEnabled) return openPrinted()
  const frame = element('iframe', { class: 'document', title: text('labels.document'), tabindex: '-1' })
  const shown = new Promise((resolve) => {
    frame.addEventListener('load', () => resolve(true), { once: true })
    setTimeout(() => resolve(false), SHOWING)
  })
  frame.src = printed.address
  printed.frame = frame
  document.body.append(frame)
  if (!(await shown)) return openPrinted()
  try {
    frame.contentWindow?.print()
    return true
  } catch {
    return openPrinted()
  }
}

/** Open the last printed document in a tab; returns false if the browser does not let a page do so. */
export function openPrinted() {
  return printed !== null && window.open(printed.address, '_blank') !== null
}

/**
 * Return why an order cannot be printed, as a sentence for each product concerned.
 *
 * @param {unknown} error
 * @param {string} symbology
 */
export function whyNotPrinted(error, symbology) {
  const sentences = error instanceof Refusal ? whyNotPrintable(symbology, error.details, PROBLEMS) : []
  return sentences.join(' ') || errorText(error)
}

function forget() {
  if (!printed) return
  printed.frame?.remove()
  URL.revokeObjectURL(printed.address)
  printed = null
}
