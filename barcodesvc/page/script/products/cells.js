/** What tables of products have in common: the link to a product, and the mark of one that is low. */

import { element } from '../dom.js'
import { text } from '../language.js'
import { html, Mark } from '../ui.js'

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
 * A mark for a level of 0, or one at or below the minimum; nothing for another, or without a minimum.
 *
 * @param {{level: number, minimum: number}} props
 */
export function LevelMark({ level, minimum }) {
  if (level === 0) return html`<${Mark} kind="bad">${text('products.stock.out')}<//>`
  return minimum > 0 && level <= minimum && html`<${Mark} kind="wait">${text('low')}<//>`
}
