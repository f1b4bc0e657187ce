/** Products by their numbers, as the address of their labels names them: `#labels?products=1,2,3`. */

import { ask, LIMITS } from '../api.js'

/**
 * Return the numbers that a text names, each once, as many as the service returns at a time.
 *
 * @param {string | null} text
 * @returns {number[]}
 */
export function idsOf(text) {
  const numbers = (text ?? '').split(',').map(Number)
  return [...new Set(numbers.filter((number) => Number.isSafeInteger(number) && number > 0))].slice(0, LIMITS.ids)
}

/**
 * Return the address of the view that prints the labels of these products.
 *
 * @param {readonly number[]} ids at most `LIMITS.ids`
 */
export function labelsAddress(ids) {
  return `#labels?products=${ids.join(',')}`
}

/**
 * Return the products that still exist, in the order of their numbers in the list.
 *
 * @param {number[]} ids
 * @param {AbortSignal} signal
 * @returns {Promise<import('../types.js').Product[]>}
 * @throws {import('../api.js').Refusal | import('../api.js').Unreachable}
 */
export function productsWithIds(ids, signal) {
  if (ids.length === 0) return Promise.resolve([])
  return ask('GET', '/api/products', { query: { ids: ids.join(), limit: ids.length }, signal })
}
