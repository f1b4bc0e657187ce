/** The printers of the service, their jobs, and what these print. */

import { ask, Refusal, Unreachable } from '../api.js'
import { newKey } from '../bookings/booking.js'
import { layoutOn } from '../labels/layout.js'
import { text } from '../language.js'
import { PrintKeys } from './print_keys.js'
import { printRequest, whyNotPrinted } from '../labels/printing.js'

/**
 * As `GET /api/printers` and the routes of jobs return them.
 *
 * @typedef {{name: string, kind: string, label: string, dpi: number, state: string, jobs_waiting: number}} Printer
 * @typedef {{id: number, printer: string, state: string, labels: number, labels_sure: number, labels_unsure: number, message: string, created_at: string, resend_of: number | null, from_label: number, products: string[], isCancelling?: boolean}} Job
 * `isCancelling` is this page's own: a person has cancelled the job, and the printer still prints what it has.
 *
 * @typedef {import('../labels/printing.js').Order} Order
 */

/** The status of a response about something that no longer exists. */
const NOT_FOUND = 404

const keys = new PrintKeys(newKey)

/**
 * @param {AbortSignal} signal
 * @returns {Promise<Printer[]>}
 */
export function listPrinters(signal) {
  return ask('GET', '/api/printers', { signal })
}

/**
 * Return the last jobs of a printer, the newest first.
 *
 * @param {string} printer
 * @param {number} limit
 * @param {AbortSignal} signal
 * @returns {Promise<Job[]>}
 */
export function listJobs(printer, limit, signal) {
  return ask('GET', pathOf(printer), { query: { limit }, signal })
}

/**
 * Return a job as it is now, or null if it no longer exists.
 *
 * @param {Pick<Job, 'printer' | 'id'>} job
 * @param {AbortSignal} signal
 * @returns {Promise<Job | null>}
 */
export function jobNow({ printer, id }, signal) {
  return ask('GET', `${pathOf(printer)}/${id}`, { signal }).catch((error) => {
    if (error instanceof Refusal && error.status === NOT_FOUND) return null
    throw error
  })
}

/**
 * Return an order for a printer of the service: what is in the printer replaces the sheet.
 *
 * @param {Order} order
 * @param {Printer} printer
 * @returns {Order}
 */
export function orderFor(order, { name, label, dpi }) {
  return { ...order, printer: name, sheet: label, layout: { ...layoutOn(order.layout ?? {}, label), dpi } }
}

/**
 * Put an order for a printer into its queue, once.
 *
 * @param {Order} order
 * @param {string} [key] by which the queue knows it; otherwise it is that of the same labels
 * @returns {Promise<Job>}
 */
export function queue(order, key) {
  return once(pathOf(order.printer ?? ''), printRequest(order), key)
}

/**
 * Return why an order or a job is not printed. Without a response it may be printed; then the next press is the
 * same job.
 *
 * @param {unknown} error
 * @param {string} symbology
 */
export function whyNotQueued(error, symbology) {
  return error instanceof Unreachable ? text('printer.lost') : whyNotPrinted(error, symbology)
}

/**
 * Print the rest of a job that is over, once, as a new job.
 *
 * @param {Job} job
 * @param {number} from the first label, as the job counts them
 * @param {number | null} [free] position of the first free label, on a sheet
 * @returns {Promise<Job>}
 */
export function resend({ printer, id }, from, free = null) {
  const body = { from_label: from, ...(free !== null && { start_position: free }) }
  return once(`${pathOf(printer)}/${id}/resend`, body)
}

/**
 * @param {Job} job
 * @returns {Promise<Job>}
 */
export function cancel({ printer, id }) {
  keys.forget()
  return ask('POST', `${pathOf(printer)}/${id}/cancel`, { body: {} })
}

/**
 * @param {string} path
 * @param {object} body
 * @param {string} [key]
 */
async function once(path, body, key = keys.of(JSON.stringify([path, body]), Date.now())) {
  const job = await ask('POST', path, { body: { ...body, idempotency_key: key } })
  keys.taken(key, Date.now())
  return job
}

/** @param {string} printer */
function pathOf(printer) {
  return `/api/printers/${encodeURIComponent(printer)}/jobs`
}
