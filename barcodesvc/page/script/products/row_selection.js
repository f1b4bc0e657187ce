/** Which rows of a list are selected: one by one, a range with Shift, or a whole page. It lasts over pages. */

/** @template {{id: number}} Row */
export class RowSelection {
  /** @type {Map<number, Row>} */
  #selected = new Map()
  /** The row that was pressed last, from which a range begins. @type {number | null} */
  #anchor = null

  get rows() {
    return [...this.#selected.values()]
  }

  /** @param {number} id */
  has(id) {
    return this.#selected.has(id)
  }

  /**
   * Select a row, or no longer; with `isRange` all rows from the one that was pressed before.
   *
   * @param {readonly Row[]} page
   * @param {number} id
   * @param {boolean} isOn
   * @param {boolean} isRange
   */
  press(page, id, isOn, isRange) {
    const end = page.findIndex((row) => row.id === id)
    const start = isRange ? page.findIndex((row) => row.id === this.#anchor) : -1
    const [first, last] = start < 0 ? [end, end] : [Math.min(start, end), Math.max(start, end)]
    this.#set(page.slice(first, last + 1), isOn)
    this.#anchor = id
  }

  /**
   * Select all rows of a page, or none of them.
   *
   * @param {readonly Row[]} page
   * @param {boolean} isOn
   */
  pressAll(page, isOn) {
    this.#set(page, isOn)
    this.#anchor = null
  }

  /** @param {readonly Row[]} rows */
  add(rows) {
    this.#set(rows, true)
  }

  /**
   * Deselect rows; return those that were selected.
   *
   * @param {readonly {id: number}[]} rows
   */
  remove(rows) {
    const removed = rows.flatMap(({ id }) => this.#selected.get(id) ?? [])
    this.#set(removed, false)
    return removed
  }

  clear() {
    this.#selected.clear()
    this.#anchor = null
  }

  /**
   * Return how much of a page is selected.
   *
   * @param {readonly Row[]} page
   * @returns {'none' | 'some' | 'all'}
   */
  partOf(page) {
    const count = page.filter(({ id }) => this.has(id)).length
    if (count === 0) return 'none'
    return count === page.length ? 'all' : 'some'
  }

  /**
   * @param {readonly Row[]} rows
   * @param {boolean} isOn
   */
  #set(rows, isOn) {
    for (const row of rows) {
      if (isOn) this.#selected.set(row.id, row)
      else this.#selected.delete(row.id)
    }
  }
}
