/** Finds the product of a scanned text. */

import { ask } from './api.js'

/** @typedef {{id: number, product_code: string, description: string, level: number}} FoundProduct */

/**
 * Return the product of a scanned text, with its level.
 *
 * @param {string} code
 * @param {AbortSignal} signal
 * @returns {Promise<FoundProduct>}
 * @throws {import('./api.js').Refusal} if no product, or several, match it
 */
export async function resolveScan(code, signal) {
  const { product, inventory } = await ask('POST', '/api/codes/decode', { body: { code_data: code }, signal })
  return { ...product, level: inventory?.current_level ?? 0 }
}
