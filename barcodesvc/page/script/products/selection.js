/** Which rows of a list are selected: one by one, a range with Shift, or a whole page. It lasts over pages. */

/**
 * @template {{id: number}} Row
 * @typedef {{rows: readonly Row[], anchor: number | null}} Selection with the row that was pressed last, where a range begins
 */

/** @type {Selection<any>} */
export const NONE = { rows: [], anchor: null }

/**
 * Select a row, or no longer; with `isRange` all rows from the one that was pressed before.
 *
 * @template {{id: number}} Row
 * @param {Selection<Row>} selection
 * @param {readonly Row[]} page
 * @param {{id: number, isOn: boolean, isRange: boolean}} press
 * @returns {Selection<Row>}
 */
export function withRow({ rows, anchor }, page, { id, isOn, isRange }) {
  const end = page.findIndex((row) => row.id === id)
  const start = isRange ? page.findIndex((row) => row.id === anchor) : -1
  const [first, last] = start < 0 ? [end, end] : [Math.min(start, end), Math.max(start, end)]
  return { rows: withRows(rows, page.slice(first, last + 1), isOn), anchor: id }
}

/**
 * Select all rows of a page, or none of them.
 *
 * @template {{id: number}} Row
 * @param {Selection<Row>} selection
 * @param {readonly Row[]} page
 * @param {boolean} isOn
 * @returns {Selection<Row>}
 */
export function withPage({ rows }, page, isOn) {
  return { rows: withRows(rows, page, isOn), anchor: null }
}

/**
 * Return how much of a page is selected.
 *
 * @param {Selection<{id: number}>} selection
 * @param {readonly {id: number}[]} page
 * @returns {'none' | 'some' | 'all'}
 */
export function partOf({ rows }, page) {
  const selected = new Set(rows.map(({ id }) => id))
  const count = page.filter(({ id }) => selected.has(id)).length
  if (count === 0) return 'none'
  return count === page.length ? 'all' : 'some'
}

/**
 * @template {{id: number}} Row
 * @param {readonly Row[]} rows
 * @param {readonly Row[]} changed
 * @param {boolean} isOn
 */
function withRows(rows, changed, isOn) {
  const ids = new Set(changed.map(({ id }) => id))
  const others = rows.filter(({ id }) => !ids.has(id))
  return isOn ? [...others, ...changed] : others
}
