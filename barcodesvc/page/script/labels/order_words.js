/** What an order is of, for people: the number of its labels, and its first products. */

import { text } from '../language.js'

/** Codes that are named of an order. */
const NAMED = 3

/** @typedef {Pick<import('./printing.js').Order, 'products'>} Ordered */

/**
 * Return the number of labels of an order.
 *
 * @param {Ordered} order
 */
export function countOf({ products }) {
  return products.reduce((total, { copies }) => total + copies, 0)
}

/**
 * Return the codes of the first products, and how many more there are.
 *
 * @param {Ordered} order
 */
export function codesOf({ products }) {
  const codes = products.slice(0, NAMED).map(({ code }) => code)
  const count = products.length - codes.length
  return [...codes, ...(count ? [text('prints.further', { count })] : [])].join(', ')
}
