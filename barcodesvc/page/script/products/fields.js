/** What a product is: its symbol, its fields, and what can be done with it. */

import { element } from '../dom.js'
import { moment } from '../formats.js'
import { text } from '../language.js'
import { labelsAddress } from './products_by_id.js'
import { symbol } from '../symbols.js'
import { BEST, symbolPicture } from '../labels/symbol_picture.js'

/** @typedef {{id: number, product_code: string, description: string, category: string, unit_of_measure: string, created_at: string, updated_at: string, attributes: Record<string, string>}} Product */

/**
 * @param {Product} product
 * @param {() => void} change
 * @param {() => void} remove
 */
export function productFields(product, change, remove) {
  const picture = symbolPicture(product.product_code)
  picture.show(BEST)
  const fields = /** @type {[import('../dom.js').Child, Node][]} */ ([
    [text('product.product_code'), element('bdi', { class: 'code' }, product.product_code)],
    [text('product.category'), element('bdi', null, ...(product.category ? breakable(product.category) : ['–']))],
    [text('product.unit_of_measure'), element('bdi', null, product.unit_of_measure)],
    ...Object.entries(product.attributes).map(([name, value]) => [
      element('bdi', null, name),
      element('bdi', null, value),
    ]),
  ])
  const dates = text('product.dates', { created: moment(product.created_at), updated: moment(product.updated_at) })
  return [
    picture.node,
    element(
      'dl',
      { class: 'fields' },
      ...fields.map(([name, value]) => element('div', null, element('dt', null, name), element('dd', null, value))),
    ),
    element('p', { class: 'soft dates' }, dates),
    element(
      'div',
      { class: 'row' },
      element('a', { class: 'button', href: labelsAddress([product.id]) }, symbol('print'), text('labels.print-one')),
      element('button', { type: 'button', onclick: change }, text('product.change')),
      element('button', { type: 'button', class: 'danger', onclick: remove }, text('product.delete')),
    ),
  ]
}

/**
 * Return a text that may be broken after a slash, which browsers take for a part of a word.
 *
 * @param {string} words
 */
function breakable(words) {
  return (words.match(/[^/]*\/|[^/]+/g) ?? []).flatMap((part, index) => (index ? [element('wbr'), part] : [part]))
}
