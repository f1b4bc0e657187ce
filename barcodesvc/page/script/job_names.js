/** What print jobs are of: as the service says, or as this device remembers of those that it sent. */

import { keptValue } from './kept_value.js'

/** Jobs whose names are kept. */
const MOST = 20

const kept = keptValue('localStorage', 'barcodesvc.print-jobs')

/** @typedef {{printer: string, id: number, resend_of?: number | null, products?: string[]}} Named */

/**
 * @param {Named} job
 * @param {string} name
 */
export function nameJob({ printer, id }, name) {
  const key = keyOf(printer, id)
  const others = names().filter(([known]) => known !== key)
  kept.store([[key, name], ...others].slice(0, MOST))
}

/**
 * Return the products of a job. If the service does not tell them: its name, or that of the one of which it prints the
 * rest; empty for one of another device.
 *
 * @param {Named} job
 */
export function nameOf({ printer, id, resend_of = null, products }) {
  if (products) return products.join(', ')
  const known = new Map(names())
  return known.get(keyOf(printer, id)) ?? (resend_of === null ? '' : (known.get(keyOf(printer, resend_of)) ?? ''))
}

/** Forget all names. */
export function forgetJobs() {
  kept.store([])
}

/** @returns {[string, string][]} */
function names() {
  const found = kept.read()
  return Array.isArray(found) ? found.filter((each) => Array.isArray(each) && typeof each[1] === 'string') : []
}

/**
 * @param {string} printer
 * @param {number} id
 */
function keyOf(printer, id) {
  return `${printer}/${id}`
}
