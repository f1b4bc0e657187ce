import assert from 'node:assert/strict'
import { test } from 'node:test'

import { RowSelection } from '../../barcodesvc/page/script/products/row_selection.js'

const PAGE = [1, 2, 3, 4, 5].map((id) => ({ id }))
const NEXT_PAGE = [{ id: 6 }, { id: 7 }]

/** @param {RowSelection<{id: number}>} selection */
const idsOf = (selection) => selection.rows.map(({ id }) => id).sort()

test('a press with Shift selects all rows from the last one, in both directions', () => {
  const selection = new RowSelection()
  selection.press(PAGE, 2, true, false)
  selection.press(PAGE, 4, true, true)
  assert.deepEqual(idsOf(selection), [2, 3, 4])
  selection.press(PAGE, 1, true, true)
  assert.deepEqual(idsOf(selection), [1, 2, 3, 4])
  selection.press(PAGE, 3, false, true)
  assert.deepEqual(idsOf(selection), [4])
})

test('a range does not begin on another page', () => {
  const selection = new RowSelection()
  selection.press(PAGE, 2, true, false)
  selection.press(NEXT_PAGE, 7, true, true)
  assert.deepEqual(idsOf(selection), [2, 7])
})

test('a page is selected as a whole, and others keep their selection', () => {
  const selection = new RowSelection()
  selection.press(PAGE, 2, true, false)
  assert.equal(selection.partOf(PAGE), 'some')
  selection.pressAll(NEXT_PAGE, true)
  assert.equal(selection.partOf(NEXT_PAGE), 'all')
  selection.pressAll(PAGE, false)
  assert.deepEqual(idsOf(selection), [6, 7])
  selection.clear()
  assert.equal(selection.partOf(NEXT_PAGE), 'none')
  assert.equal(selection.partOf([]), 'none')
})

test('rows are deselected, and those that were selected can be selected again', () => {
  const selection = new RowSelection()
  selection.press(PAGE, 1, true, false)
  selection.press(PAGE, 2, true, false)
  const removed = selection.remove([{ id: 2 }, { id: 3 }])
  assert.deepEqual(removed, [{ id: 2 }])
  assert.deepEqual(idsOf(selection), [1])
  selection.add(removed)
  assert.deepEqual(idsOf(selection), [1, 2])
})
