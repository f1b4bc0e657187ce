/** The last labels that were printed in this tab, to print them again. */

import { keptValue } from './kept_value.js'

/** Characters of an order that is kept at most: browsers store only a few megabytes. */
const MOST = 100_000

const kept = keptValue('sessionStorage', 'barcodesvc.last-labels')

/** @typedef {import('./printing.js').Order} Order */

/** @type {Order | null} */
let last = /** @type {Order | null} */ (kept.read())

export function lastOrder() {
  return Array.isArray(last?.products) ? last : null
}

/** @param {Order} order */
export function keepOrder(order) {
  last = order
  kept.store(JSON.stringify(order).length <= MOST ? order : null)
}
