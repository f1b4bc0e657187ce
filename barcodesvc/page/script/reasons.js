/** Why the service refused, and why a level changed, in the user's language. */

import { text } from './language.js'
import { LIMITS, NotLoaded } from './api.js'

/**
 * Return the text of a refusal: `refused.` and its `details.reason`, and what it was that was not found, if it was no
 * product. The service's message is for programs, and in English.
 *
 * @param {{code: string, details?: any, retryAfter?: number}} problem
 * @param {number | null} [delta] what was asked for, if a level was to change
 * @returns {string}
 */
export function refusalText({ code, details, retryAfter = 0 }, delta = null) {
  const { reason, resource = '', name = '', current_level = 0 } = details ?? {}
  const isOther = reason === 'not_found' && code !== 'PRODUCT_NOT_FOUND'
  const isOfAmount = reason === 'level_out_of_range' && delta !== null && delta < 0
  const count = Math.ceil(retryAfter / 60) || 1
  const amount = Math.abs(delta ?? 0)
  const values = { name, amount, level: current_level, ...(reason === 'rate_limited' ? { count } : {}) }
  return text(`refused.${reason}${isOther ? `.${resource}` : isOfAmount ? '.of' : ''}`, values, text('failed'))
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
 * Return why no response came. If the form for the key does not load, the service can be reached.
 *
 * @param {Error} error
 * @param {string} usual returned in all other cases
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
  return reason === LIMITS.first_reason ? text('change.first') : reason
}
