/** The last labels that this device has printed, to print them again. */

import { keptValue } from '../settings.js'

/** Orders that are kept. */
const MOST = 5

/** Characters of an order that is kept at most: browsers store only a few megabytes. */
const LONGEST = 100_000

const kept = keptValue('localStorage', 'barcodesvc.last-labels')

/** @typedef {import('./printing.js').Order} Order */
/** @typedef {{order: Order, at: string}} Printed `at` is the time as ISO text */

/**
 * Return the last orders, the newest first.
 *
 * @returns {Printed[]}
 */
export function lastOrders() {
  const found = kept.read()
  return Array.isArray(found) ? found.filter(isPrinted) : []
}

/**
 * Keep an order. The same labels from another position on are the same order.
 *
 * @param {Order} order
 * @param {Date} now
 */
export function keepOrder(order, now) {
  if (JSON.stringify(order).length > LONGEST) return
  const others = lastOrders().filter((each) => labelsOf(each.order) !== labelsOf(order))
  kept.store([{ order, at: now.toISOString() }, ...others].slice(0, MOST))
}

/** Forget all orders. */
export function forgetOrders() {
  kept.store([])
}

/** @param {Order} order */
function labelsOf({ products, symbology, sheet, layout }) {
  return JSON.stringify([products, symbology, sheet, layout])
}

/**
 * @param {any} each
 * @returns {each is Printed}
 */
function isPrinted(each) {
  return typeof each?.at === 'string' && Array.isArray(each.order?.products) && typeof each.order.sheet === 'string'
}
