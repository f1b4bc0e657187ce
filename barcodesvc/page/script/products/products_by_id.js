/** Products by their numbers, as the address of their labels names them: `#labels?products=1,2,3`. */

import { ask, Refusal } from '../api.js'

/** Products that an address names at most. */
export const MOST_NAMED = 500

/** Requests at a time. */
const AT_ONCE = 6

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
 * @param {number[]} ids
 * @param {AbortSignal} signal
 * @returns {Promise<any[]>}
 * @throws {import('../api.js').Refusal | import('../api.js').Unreachable}
 */
export async function productsWithIds(ids, signal) {
  const found = new Map()
  const remaining = [...ids]
  async function work() {
    for (let id = remaining.shift(); id !== undefined; id = remaining.shift()) {
      found.set(id, await ask('GET', `/api/products/${id}`, { signal }).catch(missing))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return ids.map((id) => found.get(id)).filter(Boolean)
}

/**
 * Return null for a product that does not exist.
 *
 * @param {unknown} error
 */
function missing(error) {
  if (error instanceof Refusal && error.status === 404) return null
  throw error
}
