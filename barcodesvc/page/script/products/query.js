/**
 * What a list of products searches for, filters by and sorts by, as its address and as a request; and which are selected.
 *
 * Rule: all of it is in the address, so that it can be bookmarked and the back button leads to the same list.
 */

import { address, LIMITS } from '../api.js'
import { boundsOf, dayOf } from '../formats.js'

/** Products of one page. */
const PAGE = 50

/** The fields by which the service sorts, each with the order that its first press gives. @type {Record<string, string>} */
const SORTS = { description: '', product_code: '', current_level: '', updated_at: '-' }

/** Days within which a product has moved, as the list offers them. */
export const DAYS = ['1', '7', '30', '90']

/** `stock` is `low`, `out` or empty, `moved` one of DAYS or empty, `retired` is `true`, `any` or empty, `sort` a field, with `-` in front in descending order. */
export const ALL = { search: '', category: '', stock: '', moved: '', retired: '', sort: '', page: 1 }

/** @typedef {typeof ALL} ProductQuery */

/** Return what an address asks for; a value that the list does not have is left out. @param {URLSearchParams} given @returns {ProductQuery} */
export function readQuery(given) {
  const among = (/** @type {string} */ name, /** @type {string[]} */ values) =>
    values.find((each) => each === given.get(name)) ?? ''
  const sorts = Object.keys(SORTS).flatMap((field) => [field, `-${field}`])
  return {
    search: given.get('search') ?? '',
    category: given.get('category') ?? '',
    stock: among('stock', ['low', 'out']),
    moved: among('moved', DAYS),
    retired: among('retired', ['true', 'any']),
    sort: among('sort', sorts),
    page: Math.max(1, Math.trunc(Number(given.get('page'))) || 1),
  }
}

/** Return the address of a list, with the product that is open in it. @param {ProductQuery} query @param {string | number} [id] */
export function addressOf(query, id = '') {
  return address(id === '' ? '#products' : `#products/${id}`, { ...query, page: query.page > 1 ? query.page : '' })
}

/** Return the parameters of `GET /api/products`. @param {ProductQuery} query @param {Date} now */
export function requestOf({ moved, ...query }, now) {
  const first = new Date(now.getFullYear(), now.getMonth(), now.getDate() - Number(moved) + 1)
  return { ...query, moved_since: moved && boundsOf(dayOf(first)).begin, limit: PAGE, include_levels: true }
}

/** Whether a list leaves out products. @param {ProductQuery} query */
export function isFiltered({ search, category, stock, moved, retired }) {
  return [search, category, stock, moved, retired].some(Boolean)
}

/** Return the order after a press on a column: its first one, the other way round, then none. @param {string} sort @param {string} field */
export function nextSort(sort, field) {
  const first = `${SORTS[field]}${field}`
  const second = first === field ? `-${field}` : field
  if (sort === first) return second
  return sort === second ? '' : first
}

/** Return products with some that are selected, or no longer; others stay, also of other pages. @template {{id: number}} Row @param {readonly Row[]} selected @param {readonly Row[]} some @param {boolean} isOn */
export function selectedWith(selected, some, isOn) {
  const others = selected.filter((each) => !some.some(({ id }) => id === each.id))
  return isOn ? [...others, ...some] : others
}

/** Return the rows of a page between two of them, with both; only the last one if the first is not there. @template {{id: number}} Row @param {readonly Row[]} page @param {number | null} first @param {number} last */
export function rowsBetween(page, first, last) {
  const end = page.findIndex(({ id }) => id === last)
  const found = page.findIndex(({ id }) => id === first)
  const start = found < 0 ? end : found
  return page.slice(Math.min(start, end), Math.max(start, end) + 1)
}

/** Return the numbers of products that a text names, such as `1,2,3`, each once, as many as the service returns at a time. @param {string | null} names */
export function idsOf(names) {
  const numbers = (names ?? '').split(',').map(Number)
  return [...new Set(numbers.filter((number) => Number.isSafeInteger(number) && number > 0))].slice(0, LIMITS.ids)
}
