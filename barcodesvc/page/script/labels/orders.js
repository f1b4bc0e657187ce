/**
 * Orders of labels: the requests for their document, a preview, or a job; those that this device has printed last; and why
 * one cannot be printed.
 */

import { Refusal } from '../api.js'
import { text } from '../language.js'
import { keptValue, settings } from '../settings.js'
import { errorText, signal } from '../ui.js'
import { layoutOn } from './layouts.js'

/** The service's name for the symbology that suits each code. */
export const BEST = 'best'

/** Products after the first one that a preview checks at most. */
const FURTHER = 500

/** Codes that are named of an order; problems of one that are shown. */
const NAMED = 3
const PROBLEMS = 5

/** Orders that are kept, and characters of one at most: browsers store only a few megabytes. */
const MOST = 5
const LONGEST = 100_000

const kept = keptValue('localStorage', 'barcodesvc.last-labels')

/** How often one was kept here: what lists them is drawn again. */
const timesKept = signal(0)

/** @typedef {import('../types.js').Order} Order */
/** @typedef {import('../types.js').Printed} Printed */

/**
 * Return an order as the body of `POST /api/codes/printable`, or of a job. The correction of the browser's printer is this
 * device's setting; a printer of the service has the correction in its own.
 *
 * @param {Order} order
 */
export function printRequest(order) {
  const { offsetX, offsetY, scale } = settings()
  const isCorrected = !order.printer && (offsetX !== 0 || offsetY !== 0 || scale !== 100)
  return requestOf(order, isCorrected ? { offset_x: offsetX, offset_y: offsetY, scale: scale / 100 } : {})
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

/** @type {(order: Order, correction: object) => {products: object[], code_type: string, layout: Record<string, unknown>}} */
function requestOf({ products, symbology, sheet, first = 1, layout = {} }, correction) {
  const place = sheet && { sheet, start_position: first }
  return { products, code_type: symbology, layout: { ...layout, ...place, ...correction } }
}

/** Return an order for one label alone, which is as large as those of a sheet. @type {(order: Order, sheet: import('../types.js').Sheet) => Order} */
export function alone(order, { label_width, label_height }) {
  const { layout = {} } = order
  const measures = order.sheet ? {} : /** @type {any} */ (layout)
  const { label_width: width = label_width, label_height: height = label_height } = measures
  const size = `${width}x${height}mm`
  return width && height ? { ...order, sheet: size, first: 1, layout: layoutOn(layout, size) } : order
}

/** Return the number of labels of an order. @param {Pick<Order, 'products'>} order */
export function countOf({ products }) {
  return products.reduce((total, { copies }) => total + copies, 0)
}

/** Return the codes of the first products, and how many more there are. @param {Pick<Order, 'products'>} order */
export function codesOf({ products }) {
  const codes = products.slice(0, NAMED).map(({ code }) => code)
  const count = products.length - codes.length
  return [...codes, ...(count ? [text('prints.further', { count })] : [])].join(', ')
}

/** Return the last orders of this device, the newest first. @returns {Printed[]} */
export function lastOrders() {
  void timesKept.value
  const found = kept.read()
  return Array.isArray(found) ? found.filter(isPrinted) : []
}

/** Keep an order. The same labels from another position on are the same order. @type {(order: Order, now: Date) => void} */
export function keepOrder(order, now) {
  if (JSON.stringify(order).length > LONGEST) return
  const labels = ({ products, symbology, sheet, layout } = order) =>
    JSON.stringify([products, symbology, sheet, layout])
  const others = lastOrders().filter((each) => labels(each.order) !== labels())
  kept.store([{ order, at: now.toISOString() }, ...others].slice(0, MOST))
  timesKept.value = timesKept.peek() + 1
}

/** Forget all orders. */
export function forgetOrders() {
  kept.store([])
}

/** @type {(each: any) => each is Printed} */
function isPrinted(each) {
  return typeof each?.at === 'string' && Array.isArray(each.order?.products) && typeof each.order.sheet === 'string'
}

/** Return why an order cannot be printed, as a sentence for each product concerned. @type {(error: unknown, symbology: string) => string} */
export function whyNotPrinted(error, symbology) {
  const sentences = error instanceof Refusal ? whyNotPrintable(symbology, error.details, PROBLEMS) : []
  return sentences.join(' ') || errorText(error)
}

/**
 * Return why labels cannot be printed, as sentences, of which there are `most`; none if the refusal is not about their content.
 *
 * @type {(symbology: string, details: any, most: number) => string[]}
 */
export function whyNotPrintable(symbology, details, most) {
  const { rule, product_codes = [], label_width_mm, label_height_mm, errors = [], missing = [] } = details
  if (rule === 'label size') {
    const values = { width: label_width_mm, height: label_height_mm, code: product_codes[0] ?? '' }
    return [text('unprintable.label-size', values)]
  }
  const gone = missing.map((/** @type {string} */ code) => text('labels.unknown', { code }))
  const refused = errors.map((/** @type {any} */ problem) => {
    const { value = '', message, field, placeholder } = problem
    if (problem.rule === 'font') return text('unprintable.font', { code: value })
    if (problem.rule === 'attribute') return text('unprintable.no-attribute', { name: value })
    if (problem.rule === 'placeholder') return whyNotFilled(value, placeholder)
    if (problem.rule === 'unknown placeholder') return text('unprintable.no-placeholder', { placeholder })
    return field.startsWith('products.') ? whyNotEncoded(symbology, value, problem) : `${field}: ${message}`
  })
  return [...gone, ...refused].slice(0, most)
}

/** Return that nothing fills a placeholder for a product. @type {(code: string, placeholder: string) => string} */
function whyNotFilled(code, placeholder) {
  const [, name] = /^\{attributes\.(\w+)/.exec(placeholder) ?? []
  return name ? text('unprintable.attribute', { code, name }) : text('unprintable.placeholder', { code, placeholder })
}

/**
 * Return the sentence for a refused code: by the rule that it breaks, as `details` of the refusal name it.
 *
 * @type {(symbology: string, code: string, details: {rule?: string, position?: number, expected?: string}) => string}
 */
export function whyNotEncoded(symbology, code, { rule, position = 0, expected }) {
  const character = [...code][position - 1]
  const values = { symbology, code }
  if (rule === 'alphabet' && character) return text('unprintable.alphabet', { ...values, character })
  if (rule === 'length') return text('unprintable.length', values)
  if (rule === 'check digit' && expected) return text('unprintable.check-digit', { ...values, expected })
  return text('labels.symbol.wrong', values)
}
