/**
 * What a list of products searches for, filters by and sorts by, as its address and as a request.
 *
 * Rule: all of it is in the address, so that it can be bookmarked and the back button leads to the same list.
 */

import { address } from '../api.js'
import { dayOf, boundsOf } from '../typed_values.js'

/** Products of one page. */
export const PAGE = 50

/** The fields by which the service sorts, each with the order that its first press gives. */
const SORTS = new Map([
  ['description', ''],
  ['product_code', ''],
  ['current_level', ''],
  ['updated_at', '-'],
])

/** Days within which a product has moved, as the list offers them. */
export const DAYS = ['1', '7', '30', '90']

/**
 * @typedef {object} ProductQuery
 * @property {string} search
 * @property {string} category
 * @property {string} stock `low`, `out`, or empty
 * @property {string} moved one of DAYS, or empty
 * @property {string} sort a field, with `-` in front in descending order; empty is the order of the service
 * @property {number} page
 */

/** @type {ProductQuery} */
export const ALL = { search: '', category: '', stock: '', moved: '', sort: '', page: 1 }

/**
 * Return what an address asks for; a value that the list does not have is left out.
 *
 * @param {URLSearchParams} given
 * @returns {ProductQuery}
 */
export function readQuery(given) {
  const among = (/** @type {string} */ name, /** @type {string[]} */ values) =>
    values.find((each) => each === given.get(name)) ?? ''
  return {
    search: given.get('search') ?? '',
    category: given.get('category') ?? '',
    stock: among('stock', ['low', 'out']),
    moved: among('moved', DAYS),
    sort: among(
      'sort',
      [...SORTS.keys()].flatMap((field) => [field, `-${field}`]),
    ),
    page: Math.max(1, Math.trunc(Number(given.get('page'))) || 1),
  }
}

/**
 * Return the address of a list, with the product that is open in it.
 *
 * @param {ProductQuery} query
 * @param {string | number} [id]
 */
export function addressOf(query, id = '') {
  return address(id === '' ? '#products' : `#products/${id}`, { ...query, page: query.page > 1 ? query.page : '' })
}

/**
 * Return the parameters of `GET /api/products`.
 *
 * @param {ProductQuery} query
 * @param {Date} now
 */
export function requestOf({ moved, ...query }, now) {
  return { ...query, moved_since: moved && startOf(Number(moved), now), limit: PAGE, include_levels: true }
}

/** Whether a list leaves out products. @param {ProductQuery} query */
export function isFiltered({ search, category, stock, moved }) {
  return [search, category, stock, moved].some((value) => value !== '')
}

/**
 * Return the order after a press on a column: its first one, the other way round, then none.
 *
 * @param {string} sort
 * @param {string} field
 */
export function nextSort(sort, field) {
  const first = `${SORTS.get(field)}${field}`
  const second = first === field ? `-${field}` : field
  if (sort === first) return second
  return sort === second ? '' : first
}

/**
 * Return the value of `aria-sort` for a column.
 *
 * @param {string} sort
 * @param {string} field
 */
export function sortDirection(sort, field) {
  if (sort === field) return 'ascending'
  return sort === `-${field}` ? 'descending' : 'none'
}

/**
 * Return the beginning of the first of these days, the last of which is today.
 *
 * @param {number} days
 * @param {Date} now
 */
function startOf(days, now) {
  return boundsOf(dayOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() - days + 1))).begin
}
