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
 * Return the mark of a level at or below its minimum, or null above it.
 *
 * @param {number} level
 * @param {number} minimum
 */
export function lowMark(level, minimum) {
  return level <= minimum ? element('div', null, element('span', { class: 'mark wait' }, text('low'))) : null
}
