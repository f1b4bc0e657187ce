/** What tables of products have in common: the link to a product, and the mark of one that is low. */

import { element } from '../dom.js'
import { text } from '../language.js'

/**
 * Return the link to a product: its description, with its code below.
 *
 * @param {number} id
 * @param {string} code
 * @param {string} description
 */
export function productLink(id, code, description) {
  return element(
    'a',
    { class: 'product-link', href: `#products/${id}` },
    element('bdi', { class: 'clamped' }, description),
    element('span', { class: 'code soft' }, element('bdi', null, code)),
  )
}

/**
 * Return a mark for a level of 0, or one at or below the minimum; null for another, or without a minimum.
 *
 * @param {number} level
 * @param {number} minimum
 */
export function levelMark(level, minimum) {
  if (level === 0) return element('span', { class: 'mark bad' }, text('stock.out'))
  const isLow = minimum > 0 && level <= minimum
  return isLow ? element('span', { class: 'mark wait' }, text('low')) : null
}
