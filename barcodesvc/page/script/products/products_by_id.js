/** Products by their numbers, as the address of their labels names them: `#labels?products=1,2,3`. */

import { ask } from '../api.js'

/** Products that an address names at most. */
export const MOST_NAMED = 500

/**
 * Return the numbers that a text names, each once.
 *
 * @param {string | null} text
 * @returns {number[]}
 */
export function idsOf(text) {
  const numbers = (text ?? '').split(',').map(Number)
  return [...new Set(numbers.filter((number) => Number.isSafeInteger(number) && number > 0))].slice(0, MOST_NAMED)
}

/**
 * Return the address of the view that prints the labels of these products.
 *
 * @param {readonly number[]} ids at most MOST_NAMED
 */
export function labelsAddress(ids) {
  return `#labels?products=${ids.join(',')}`
}

/**
 * Return the products that still exist, in the order of their numbers in the list.
 *
 * @param {number[]} ids at most MOST_NAMED
 * @param {AbortSignal} signal
 * @returns {Promise<any[]>}
 * @throws {import('../api.js').Refusal | import('../api.js').Unreachable}
 */
export function productsWithIds(ids, signal) {
  return ask('GET', '/api/products', { query: { ids: ids.join(','), limit: MOST_NAMED }, signal })
}
