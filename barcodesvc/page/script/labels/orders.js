/**
 * Orders of labels: for a printer, for a picture of one label, those that this device has printed last, and why one cannot
 * be printed.
 */

import { Refusal } from '../api.js'
import { text } from '../language.js'
import { keptValue, settings } from '../settings.js'
import { errorText } from '../ui.js'
import { layoutOn } from './layouts.js'

/** @import {Order, Printed, Printer} from '../types.js' */

/** The service's name for the symbology that suits each code. */
export const BEST = 'best'

const kept = keptValue('localStorage', 'barcodesvc.last-labels')

/** Return an order with the correction of this browser's printer; a printer of the service has one in its own settings. @type {(order: Order) => Order} */
export function corrected(order) {
  const [offsetX, offsetY, scale] = [settings.offsetX.value, settings.offsetY.value, settings.scale.value]
  const isRight = offsetX === 0 && offsetY === 0 && scale === 100
  const correction = isRight ? {} : { offset_x: offsetX, offset_y: offsetY, scale: scale / 100 }
  return { ...order, layout: { ...order.layout, ...correction } }
}

/** Return an order for a printer of the service: what is in the printer replaces the sheet. @type {(order: Order, printer: Printer) => Order} */
export function orderFor(order, { name, label, dpi }) {
  return { ...order, printer: name, layout: { ...layoutOn(order.layout, label), sheet: label, dpi } }
}

/** Return an order as a request for a picture of its first label. It has a label of each of 500 further products, too, so that one whose labels cannot be printed is named before they are. @param {Order} order */
export function previewRequest({ printer, ...order }) {
  const products = order.products.slice(0, 501).map(({ code }) => ({ code, copies: 1 }))
  return { ...order, products, output: 'png' }
}

/** Return an order for one label alone, which is as large as those of a sheet, or of a layout without one. @type {(order: Order, sheet: {label_width: number, label_height: number}) => Order} */
export function alone(order, sheet) {
  const { layout } = order
  const { label_width: width, label_height: height } = { ...sheet, ...(layout.sheet ? {} : layout) }
  const size = `${width}x${height}mm`
  return width && height ? { ...order, layout: { ...layoutOn(layout, size), sheet: size, start_position: 1 } } : order
}

/** Return the number of labels of an order. @param {Pick<Order, 'products'>} order */
export function countOf({ products }) {
  return products.reduce((total, { copies }) => total + copies, 0)
}

/** Return the codes of the first products, and how many more there are. @param {Pick<Order, 'products'>} order */
export function codesOf({ products }) {
  const codes = products.slice(0, 3).map(({ code }) => code)
  const count = products.length - codes.length
  return [...codes, ...(count ? [text('prints.further', { count })] : [])].join(', ')
}

/** Return the last orders of this device, the newest first; those of older pages are described in another way. @returns {Printed[]} */
export function lastOrders() {
  const found = kept.read()
  return Array.isArray(found) ? found.filter((each) => each.order?.code_type) : []
}

/** Keep an order. The same labels from another position on are the same order. @type {(order: Order, now: Date) => void} */
export function keepOrder(order, now) {
  if (JSON.stringify(order).length > 100_000) return // browsers store only a few megabytes
  const labels = (/** @type {Order} */ { layout, ...each }) => JSON.stringify([each, { ...layout, start_position: 1 }])
  const others = lastOrders().filter((each) => labels(each.order) !== labels(order))
  kept.store([{ order, at: now.toISOString() }, ...others].slice(0, 5))
}

/** Forget all orders. */
export function forgetOrders() {
  kept.store([])
}

/** Return why an order cannot be printed, as a sentence for each of five products concerned. @type {(error: unknown, symbology: string) => string} */
export function whyNotPrinted(error, symbology) {
  const sentences = error instanceof Refusal ? whyNotPrintable(symbology, error.details) : []
  return sentences.slice(0, 5).join(' ') || errorText(error)
}

/** Return why labels cannot be printed, as sentences; none if the refusal is not about their content. @type {(symbology: string, details: any) => string[]} */
export function whyNotPrintable(symbology, details) {
  const { rule, errors = [], missing = [], label_width_mm: width, label_height_mm: height } = details
  if (rule === 'label size') return [text('unprintable.label-size', { width, height, code: details.product_codes[0] })]
  const gone = missing.map((/** @type {string} */ code) => text('labels.unknown', { code }))
  const refused = errors.map((/** @type {any} */ problem) => {
    const { value = '', message, field, placeholder } = problem
    if (problem.rule === 'font') return text('unprintable.font', { code: value })
    if (problem.rule === 'attribute') return text('unprintable.no-attribute', { name: value })
    if (problem.rule === 'unknown placeholder') return text('unprintable.no-placeholder', { placeholder })
    if (problem.rule === 'placeholder') {
      const [, name = ''] = /^\{attributes\.(\w+)/.exec(placeholder) ?? []
      return text(name ? 'unprintable.attribute' : 'unprintable.placeholder', { code: value, placeholder, name })
    }
    return field.startsWith('products.') ? whyNotEncoded(symbology, value, problem) : `${field}: ${message}`
  })
  return [...gone, ...refused]
}

/** Return the sentence for a refused code: by the rule that it breaks, as `details` of the refusal name it. @type {(symbology: string, code: string, details: {rule?: string, position?: number, expected?: string}) => string} */
export function whyNotEncoded(symbology, code, { rule, position = 0, expected }) {
  const character = [...code][position - 1]
  const values = { symbology, code }
  if (rule === 'alphabet' && character) return text('unprintable.alphabet', { ...values, character })
  if (rule === 'length') return text('unprintable.length', values)
  if (rule === 'check digit' && expected) return text('unprintable.check-digit', { ...values, expected })
  return text('labels.symbol.wrong', values)
}
