/** The printers of the service and their jobs: what is asked of them, and what they print. */

import { ask, Unreachable } from '../api.js'
import { layoutOn } from '../labels/layout.js'
import { printRequest, whyNotPrinted } from '../labels/printing.js'
import { text } from '../language.js'
import { forgetKey, keyOf, markTaken } from './print_keys.js'

/** @typedef {import('../labels/printing.js').Order} Order */
/** @typedef {import('../types.js').Printer} Printer */
/** @typedef {import('../types.js').Job} Job */

/** @type {(signal: AbortSignal) => Promise<Printer[]>} */
export function listPrinters(signal) {
  return ask('GET', '/api/printers', { signal })
}

/**
 * Return the jobs of a printer, the newest first: the last ones, or those that need a person.
 *
 * @type {(printer: string, query: {limit: number, unsettled?: string}, signal: AbortSignal) => Promise<Job[]>}
 */
export function listJobs(printer, query, signal) {
  return ask('GET', pathOf(printer), { query, signal })
}

/**
 * Return an order for a printer of the service: what is in the printer replaces the sheet.
 *
 * @type {(order: Order, printer: Printer) => Order}
 */
export function orderFor(order, { name, label, dpi }) {
  return { ...order, printer: name, sheet: label, layout: { ...layoutOn(order.layout ?? {}, label), dpi } }
}

/**
 * Put an order for a printer into its queue, once. Without a key, the same labels have the same one.
 *
 * @type {(order: Order, key?: string) => Promise<Job>}
 */
export function queue(order, key) {
  return once(pathOf(order.printer ?? ''), printRequest(order), key)
}

/**
 * Return why an order or a job is not printed. Without a response it may be printed; then the next press is the
 * same job.
 *
 * @type {(error: unknown, symbology: string) => string}
 */
export function whyNotQueued(error, symbology) {
  return error instanceof Unreachable ? text('printer.lost') : whyNotPrinted(error, symbology)
}

/**
 * Print the rest of a job that is over, once, as a new job: from a label, as the job counts them; on a sheet, on the first
 * free label.
 *
 * @type {(job: Job, from: number, free?: number | null) => Promise<Job>}
 */
export function resend({ printer, id }, from, free = null) {
  const body = { from_label: from, ...(free !== null && { start_position: free }) }
  return once(`${pathOf(printer)}/${id}/resend`, body)
}

/** @type {(job: Job) => Promise<Job>} */
export function cancel({ printer, id }) {
  forgetKey()
  return ask('POST', `${pathOf(printer)}/${id}/cancel`, { body: {} })
}

/** Tell the service that a person has seen to a job, so that no device asks for that any more. @type {(job: Job) => Promise<Job>} */
export function settle({ printer, id }) {
  return ask('POST', `${pathOf(printer)}/${id}/settle`, { body: {} })
}

/** @type {(path: string, body: object, key?: string) => Promise<Job>} */
async function once(path, body, key = keyOf(JSON.stringify([path, body]), Date.now())) {
  const job = await ask('POST', path, { body: { ...body, idempotency_key: key } })
  markTaken(key, Date.now())
  return job
}

/** @param {string} printer */
function pathOf(printer) {
  return `/api/printers/${encodeURIComponent(printer)}/jobs`
}
