/** Why a code cannot be encoded or a label cannot be printed, in the user's language. */

import { text } from '../language.js'

/**
 * Return the sentence for a refused code: by the rule that it breaks, as `details` of the refusal name it.
 *
 * @param {string} symbology
 * @param {string} code
 * @param {{rule?: string, position?: number, expected?: string}} details
 */
export function whyNotEncoded(symbology, code, { rule, position = 0, expected }) {
  const character = [...code][position - 1]
  const values = { symbology, code }
  if (rule === 'alphabet' && character) return text('unprintable.alphabet', { ...values, character })
  if (rule === 'length') return text('unprintable.length', values)
  if (rule === 'check digit' && expected) return text('unprintable.check-digit', { ...values, expected })
  return text('labels.symbol.wrong', values)
}

/**
 * Return that nothing fills a placeholder for a product.
 *
 * @param {string} code
 * @param {string} placeholder
 */
function whyNotFilled(code, placeholder) {
  const [, name] = /^\{attributes\.(\w+)/.exec(placeholder) ?? []
  if (name) return text('unprintable.attribute', { code, name })
  return text('unprintable.placeholder', { code, placeholder })
}

/**
 * Return why labels cannot be printed, as a sentence for each problem.
 *
 * @param {string} symbology
 * @param {any} details of the refusal
 * @param {number} most number of sentences
 * @returns {string[]} empty if the refusal is not about the labels' content
 */
export function whyNotPrintable(symbology, details, most) {
  const { rule, product_codes = [], label_width_mm, label_height_mm, errors = [], missing = [] } = details
  if (rule === 'label size') {
    const values = { width: label_width_mm, height: label_height_mm, code: product_codes[0] ?? '' }
    return [text('unprintable.label-size', values)]
  }
  const gone = missing.map((/** @type {string} */ code) => text('labels.unknown', { code }))
  const refused = errors.map((/** @type {any} */ problem) => {
    const { value = '', message, field, placeholder } = problem
    if (problem.rule === 'font') return text('unprintable.font', { code: value })
    if (problem.rule === 'attribute') return text('unprintable.no-attribute', { name: value })
    if (problem.rule === 'placeholder') return whyNotFilled(value, placeholder)
    if (problem.rule === 'unknown placeholder') return text('unprintable.no-placeholder', { placeholder })
    return field.startsWith('products.') ? whyNotEncoded(symbology, value, problem) : `${field}: ${message}`
  })
  return [...gone, ...refused].slice(0, most)
}
