/**
 * What is asked of the printers of the service: their states, their jobs, and to print.
 *
 * Rule: the queue knows a request that it has already taken by its key. The same labels have the same key until a response
 * has come, and for a moment after that. So neither a lost response nor a second press of the button prints twice, even if
 * the page is loaded again in between. Each task of the kiosk has another key: to scan a product again prints it again.
 */

import { ask, Unreachable } from '../api.js'
import { newKey } from '../idempotency_key.js'
import { whyNotPrinted } from '../labels/orders.js'
import { text } from '../language.js'
import { keptValue } from '../settings.js'

/** @import {Job, Order, Printer} from '../types.js' */

/** Milliseconds in which a second press is the same one, and after which the same labels are meant again without a response. */
const SAME_PRESS = 2000
const FORGOTTEN = 3_600_000

const kept = keptValue('sessionStorage', 'barcodesvc.print-key')

/** Return the last request with its key, and until when it is the same one. */
const last = () => /** @type {{request: string, key: string, until: number} | null} */ (kept.read())

/** Return the key of a request. @type {(request: string, now: number) => string} */
export function keyOf(request, now) {
  const before = last()
  if (before?.request === request && now < before.until) return before.key
  const key = newKey()
  kept.store({ request, key, until: now + FORGOTTEN })
  return key
}

/** Note that the queue has taken the request of a key. @type {(key: string, now: number) => void} */
export function markTaken(key, now) {
  const before = last()
  if (before?.key === key) kept.store({ ...before, until: Math.min(before.until, now + SAME_PRESS) })
}

/** @type {(signal: AbortSignal) => Promise<Printer[]>} */
export function listPrinters(signal) {
  return ask('GET', '/api/printers', { signal })
}

/** Return the jobs of a printer, the newest first: the last ones, or those that need a person. @type {(printer: string, query: {limit: number, unsettled?: string}, signal: AbortSignal) => Promise<Job[]>} */
export function listJobs(printer, query, signal) {
  return ask('GET', pathOf(printer), { query, signal })
}

/** Put an order for a printer into its queue, once. Without a key, the same labels have the same one. @type {(order: Order, key?: string) => Promise<Job>} */
export function queue({ printer = '', ...order }, key) {
  return once(pathOf(printer), order, key)
}

/** Return why an order or a job is not printed. Without a response it may be printed; then the next press is the same job. @type {(error: unknown, symbology: string) => string} */
export function whyNotQueued(error, symbology) {
  return error instanceof Unreachable ? text('printer.lost') : whyNotPrinted(error, symbology)
}

/** Print the rest of a job that is over, once, as a new job: from a label, as the job counts them; on a sheet, on the first free label. @type {(job: Job, from: number, free?: number | null) => Promise<Job>} */
export function resend(job, from, free = null) {
  return once(`${pathOf(job.printer)}/${job.id}/resend`, {
    from_label: from,
    ...(free !== null && { start_position: free }),
  })
}

/** Cancel a job; the same labels are another job then. @type {(job: Job) => Promise<Job>} */
export function cancel(job) {
  kept.store(null)
  return ask('POST', `${pathOf(job.printer)}/${job.id}/cancel`, { body: {} })
}

/** Tell the service that a person has seen to a job, so that no device asks for that any more. @type {(job: Job) => Promise<Job>} */
export function settle(job) {
  return ask('POST', `${pathOf(job.printer)}/${job.id}/settle`, { body: {} })
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
