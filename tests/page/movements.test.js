import assert from 'node:assert/strict'
import { test } from 'node:test'

import { codesOf, folded, withPage } from '../../barcodesvc/page/script/movements.js'

/**
 * @param {number} id
 * @param {object} [more]
 * @returns {any}
 */
const movement = (id, more) => ({ id, import_id: null, undoes: null, undone_by: null, ...more })

test('the movements of one import are together, where its newest one is, and all others are alone', () => {
  const movements = [
    movement(5, { import_id: 2 }),
    movement(4),
    movement(3, { import_id: 2 }),
    movement(2, { import_id: 1 }),
  ]
  assert.deepEqual(
    folded(movements).map((group) => group.map(({ id }) => id)),
    [[5, 3], [4], [2]],
  )
})

test('the newest movements replace those that are shown, and older ones stay behind them', () => {
  const known = [movement(3), movement(2), movement(1)]
  const found = [movement(4), movement(3, { undone_by: 4 })]
  const ids = (/** @type {any[]} */ movements) => movements.map(({ id, undone_by }) => [id, undone_by])
  assert.deepEqual(ids(withPage(known, { found, isFull: true, before: 0 })), [
    [4, null],
    [3, 4],
    [2, null],
    [1, null],
  ])
  assert.deepEqual(withPage(known, { found, isFull: false, before: 0 }), found)
  assert.deepEqual(ids(withPage([movement(5)], { found, isFull: false, before: 5 })), [
    [5, null],
    [4, null],
    [3, 4],
  ])
})

test('a movement that only notes another code is told from one that moved, or that a person made', () => {
  const note = {
    old_level: 3,
    new_level: 3,
    updated_by: 'system',
    change_reason: 'product code changed from A-1 to A 2',
  }
  assert.deepEqual(codesOf(movement(1, note)), { before: 'A-1', after: 'A 2' })
  for (const other of [{ new_level: 4 }, { updated_by: 'Ann' }, { change_reason: 'counted' }])
    assert.equal(codesOf(movement(1, { ...note, ...other })), null)
})
