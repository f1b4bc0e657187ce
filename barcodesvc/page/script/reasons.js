/** Common messages of the service in the user's language: why it refused, why a level changed. */

import { number } from './formats.js'
import { text } from './language.js'
import { NotLoaded } from './version.js'

/** The service's reason for the initial level of a product. */
const FIRST = 'initial level'

/** Codes of temporary failures. */
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
  if (details?.reason === 'not_found') return text('change.gone')
  return message
}

/**
 * Return why a booking is not stored in this browser.
 *
 * @param {unknown} error
 */
export function whyNotStored(error) {
  if (error instanceof NotLoaded) return error.message
  const { name } = /** @type {Error} */ (error)
  if (name === 'QuotaExceededError') return text('scan.full')
  return text(name === 'VersionError' ? 'newer' : 'scan.no-storage')
}

/**
 * Return why no answer came. Where the page has no file to ask for the key with, the service can be reached.
 *
 * @param {Error} error
 * @param {string} usual what to say in all other cases
 */
export function whyUnreachable({ cause }, usual) {
  return cause instanceof NotLoaded ? cause.message : usual
}

/**
 * Return why a level was changed, as a person wrote it.
 *
 * @param {string} reason
 */
export function changeReason(reason) {
  return reason === FIRST ? text('change.first') : reason
}
