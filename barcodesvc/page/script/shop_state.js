/**
 * What the page asks of the service as it opens: whether it needs the key, and whether the shop is empty.
 *
 * Rule: the start of an empty shop is shown with its first steps or without them, and stays so: nothing moves from under a
 * finger. A device that has seen a product does not wait for the answer.
 */

import { envelope, Refusal } from './api.js'
import { change, settings } from './settings.js'

/** @typedef {'empty' | 'stocked' | 'locked' | 'unknown'} ShopState `locked` without a key, `unknown` without a response */

/**
 * Ask the service for the state of the shop.
 *
 * @returns {Promise<ShopState>}
 */
export async function shopState() {
  try {
    const { pagination } = await envelope('GET', '/api/products', { query: { limit: 1 }, isQuiet: true })
    const isStocked = pagination.total > 0
    noteProducts(isStocked)
    return isStocked ? 'stocked' : 'empty'
  } catch (error) {
    return error instanceof Refusal && error.status === 401 ? 'locked' : 'unknown'
  }
}

/** Whether this device knows that the shop has products. */
export function isKnownStocked() {
  return settings().stocked
}

/** Note whether the shop has products. @param {boolean} isStocked */
export function noteProducts(isStocked) {
  if (isStocked !== isKnownStocked()) change({ stocked: isStocked })
}
