import assert from 'node:assert/strict'
import { test } from 'node:test'

import { NONE, partOf, withPage, withRow } from '../../barcodesvc/page/script/products/selection.js'

const PAGE = [1, 2, 3, 4, 5].map((id) => ({ id }))
const NEXT_PAGE = [{ id: 6 }, { id: 7 }]

/** @param {import('../../barcodesvc/page/script/products/selection.js').Selection<{id: number}>} selection */
const idsOf = (selection) => selection.rows.map(({ id }) => id).sort()

test('a press with Shift selects all rows from the last one, in both directions', () => {
  const two = withRow(NONE, PAGE, { id: 2, isOn: true, isRange: false })
  const three = withRow(two, PAGE, { id: 4, isOn: true, isRange: true })
  assert.deepEqual(idsOf(three), [2, 3, 4])
  const four = withRow(three, PAGE, { id: 1, isOn: true, isRange: true })
  assert.deepEqual(idsOf(four), [1, 2, 3, 4])
  assert.deepEqual(idsOf(withRow(four, PAGE, { id: 3, isOn: false, isRange: true })), [4])
})

test('a range does not begin on another page', () => {
  const one = withRow(NONE, PAGE, { id: 2, isOn: true, isRange: false })
  assert.deepEqual(idsOf(withRow(one, NEXT_PAGE, { id: 7, isOn: true, isRange: true })), [2, 7])
})

test('a page is selected as a whole, and others keep their selection', () => {
  const one = withRow(NONE, PAGE, { id: 2, isOn: true, isRange: false })
  assert.equal(partOf(one, PAGE), 'some')
  const more = withPage(one, NEXT_PAGE, true)
  assert.equal(partOf(more, NEXT_PAGE), 'all')
  assert.deepEqual(idsOf(withPage(more, PAGE, false)), [6, 7])
  assert.equal(partOf(NONE, NEXT_PAGE), 'none')
  assert.equal(partOf(NONE, []), 'none')
})
