/**
 * Columns that the service does not read by itself, but that a shop expects to be read: its own attributes, and prices.
 *
 * Rule: a column that the service recognises stays as it is, and no field comes from two columns.
 */

import { ask } from '../api.js'
import { attributeName } from '../products/attributes.js'

/** Products whose attributes are looked at for their names. */
const LOOKED_AT = 100

/** How a price is called in the languages of the web app; `{attributes.price}` prints it on labels. */
const PRICES = ['price', 'preis', 'prix', 'precio']
const PRICE = 'price'

/**
 * Return the names of the attributes that the newest products have; none if the service does not respond.
 *
 * @param {AbortSignal} signal
 * @returns {Promise<string[]>}
 */
export async function usualAttributes(signal) {
  const products = await ask('GET', '/api/products', { query: { sort: '-id', limit: LOOKED_AT }, signal }).catch(
    () => [],
  )
  return [...new Set(products.flatMap((/** @type {any} */ { attributes }) => Object.keys(attributes)))]
}

/**
 * Return the field of each column, with the ignored ones that are attributes; null if there are none.
 *
 * @param {Pick<import('./importing.js').Preview, 'columns' | 'ignored'>} preview
 * @param {string[]} names of the attributes that products have
 * @returns {Record<string, string> | null}
 */
export function presetMap({ columns, ignored }, names) {
  const map = { ...columns }
  for (const header of ignored) {
    const name = attributeName(header)
    const known = names.includes(name) ? name : PRICES.includes(name) ? PRICE : ''
    const field = `attributes.${known}`
    if (known && !Object.values(map).includes(field)) map[header] = field
  }
  return Object.keys(map).length > Object.keys(columns).length ? map : null
}
