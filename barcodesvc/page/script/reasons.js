/** Why the service refused something, in the reader's language where the reason is a common one. */

import { number } from './formats.js'
import { text } from './language.js'

/**
 * @param {{code: string, message: string, details?: any}} problem
 * @returns {string}
 */
export function reasonOf({ code, message, details }) {
  if (code === 'PRODUCT_NOT_FOUND') return text(details?.candidates ? 'refused.several' : 'scan.unknown')
  if (details?.least_delta !== undefined) return text('refused.too-few', { level: number(details.current_level) })
  if (details?.changed_at !== undefined) return text('refused.later', { level: number(details.current_level) })
  return message
}
