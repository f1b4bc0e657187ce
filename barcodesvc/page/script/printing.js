/**
 * Prints labels: the service makes the PDF, the browser's own dialog prints it.
 *
 * Rule: one document is kept at a time. The one before it is let go when the next one comes, so that a day of printing
 * costs no memory.
 */

import { file, Refusal } from './api.js'
import { element } from './dom.js'
import { text } from './language.js'
import { reasonOf } from './parts/failure.js'
import { settings } from './settings.js'

/** The order before the next one: a document that is on its way to its dialog is not let go. @type {Promise<unknown>} */
let before = Promise.resolve()

/** Problems of an order that are shown at most. */
const PROBLEMS = 5

/** @type {{address: string, frame: HTMLIFrameElement | null} | null} */
let printed = null

/**
 * What is printed: labels of products, on which sheet, and what stands on each.
 *
 * @typedef {object} Order
 * @property {{code: string, copies: number}[]} products
 * @property {string} symbology
 * @property {string} sheet
 * @property {number} [first] position of the first free label, from 1
 * @property {Record<string, boolean | string[]>} [lines] fields of `layout` that say what stands below a code
 */

/**
 * Return an order as the body of `POST /api/codes/printable`; the printer's own error is this device's setting.
 *
 * @param {Order} order
 */
export function printRequest({ products, symbology, sheet, first = 1, lines = {} }) {
  const { offsetX, offsetY, scale } = settings()
  return {
    products,
    code_type: symbology,
    layout: { sheet, start_position: first, offset_x: offsetX, offset_y: offsetY, scale: scale / 100, ...lines },
  }
}

/**
 * Print an order: in a hidden frame with its print dialog, or in a tab where the browser shows no PDF in frames.
 *
 * @param {Order} order
 * @returns {Promise<boolean>} false where the browser opened no tab; `openPrinted` does, called by a person's touch
 * @throws {import('./api.js').Refusal | import('./api.js').Unreachable}
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
  const labels = await file('POST', '/api/codes/printable', { body: printRequest(order) })
  forget()
  printed = { address: URL.createObjectURL(labels), frame: null }
  if (!navigator.pdfViewerEnabled) return openPrinted()
  const frame = element('iframe', { class: 'document', title: text('labels.document'), tabindex: '-1' })
  const shown = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }))
  frame.src = printed.address
  printed.frame = frame
  document.body.append(frame)
  await shown
  try {
    frame.contentWindow?.print()
    return true
  } catch {
    return openPrinted()
  }
}

/** Open the document that was printed last in a tab; returns false where the browser does not let a page do so. */
export function openPrinted() {
  return printed !== null && window.open(printed.address, '_blank') !== null
}

/**
 * Return why an order is not printed, as a sentence for each of its products that cannot be.
 *
 * @param {unknown} error
 * @param {Order['products']} products
 */
export function whyNotPrinted(error, products) {
  const problems = error instanceof Refusal ? (error.details.errors ?? []) : []
  const sentences = problems.slice(0, PROBLEMS).map((/** @type {{field: string, message: string}} */ problem) => {
    const [, index] = /^products\.(\d+)/.exec(problem.field) ?? []
    return `${products[Number(index)]?.code ?? problem.field}: ${problem.message}`
  })
  return sentences.join(' · ') || reasonOf(error)
}

function forget() {
  if (!printed) return
  printed.frame?.remove()
  URL.revokeObjectURL(printed.address)
  printed = null
}
