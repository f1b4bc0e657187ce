/** What the service says in words of its own, in the reader's language where it is common: why it refused, why a level changed. */

import { number } from './formats.js'
import { text } from './language.js'

/** What the service writes beside the level with which a product begins. */
const FIRST = 'initial level'

/** What the service could not do just now, however right it was. */
const FAILED = ['DATABASE_ERROR', 'GENERATION_ERROR', 'EXPORT_ERROR']

/**
 * @param {{code: string, message: string, details?: any}} problem
 * @returns {string}
 */
export function reasonOf({ code, message, details }) {
  if (details?.id !== undefined && code === 'PRODUCT_NOT_FOUND') return text('product.gone')
  if (code === 'PRODUCT_NOT_FOUND') return text(details?.candidates ? 'refused.several' : 'scan.unknown')
  if (code === 'DUPLICATE_PRODUCT_CODE') return text('refused.duplicate')
  if (FAILED.includes(code)) return text('refused.failed')
  if (details?.least_delta !== undefined) return text('refused.too-few', { level: number(details.current_level) })
  if (details?.changed_at !== undefined) return text('refused.later', { level: number(details.current_level) })
  return message
}

/**
 * Return why a level was changed, as somebody wrote it.
 *
 * @param {string} reason
 */
export function changeReason(reason) {
  return reason === FIRST ? text('change.first') : reason
}
