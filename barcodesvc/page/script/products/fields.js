/** What the forms about products have in common: the way from field to field, and what is wrong with each. */

import { text } from '../language.js'
import { errorText } from '../ui.js'

/** Go on to the next field, from the last one and from details to the button: an Enter may be a scanner's, and stores nothing. @param {KeyboardEvent} event */
export function toNextField(event) {
  const { target, key, isComposing, currentTarget } = event
  if (key !== 'Enter' || isComposing || event.defaultPrevented || !(target instanceof HTMLInputElement)) return
  event.preventDefault()
  /** @type {NodeListOf<HTMLElement>} */
  const stops = /** @type {HTMLElement} */ (currentTarget).querySelectorAll('label input:not([readonly]), button.main')
  const all = [...stops]
  all.at(all.includes(target) ? all.indexOf(target) + 1 : -1)?.focus()
}

/** Return what is wrong, as sentences by the names of the fields; what concerns none of them as `other`. @param {any} error @param {readonly string[]} names @returns {Record<string, string>} */
export function problemsOf(error, names) {
  /** @type {{field: string, rule: string, message: string}[]} */
  const refusals = error.details?.errors ?? []
  if (refusals.length === 0) return { other: errorText(error) }
  const why = refusals.map(({ field: given, rule, message }) => {
    const field = given === 'code' ? 'product_code' : given
    const name = field.startsWith('attributes') ? text('attribute.all') : text(`product.${field}`)
    const says = `${name}${['order', 'too many'].includes(rule) ? ':' : ''} ${text(`import.rule.${rule}`, {}, message)}`
    return [names.includes(field) ? field : 'other', rule === 'too many names' ? text('attribute.full') : says]
  })
  return Object.fromEntries(why)
}
