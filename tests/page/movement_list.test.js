import assert from 'node:assert/strict'
import { test } from 'node:test'

import { signal } from '../../barcodesvc/page/script/ui.js'
import { addNewer, folded } from '../../barcodesvc/page/script/movement_list.js'

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

test('newer movements come on top, and mark those that they undo', async () => {
  const movements = signal([movement(2), movement(1)])
  await addNewer(movements, ({ after }) =>
    Promise.resolve(after === 2 ? [movement(3), movement(4, { undoes: 1 })] : []),
  )
  assert.deepEqual(
    movements.value.map(({ id, undone_by }) => [id, undone_by]),
    [
      [4, null],
      [3, null],
      [2, null],
      [1, 4],
    ],
  )
})

test('what was loaded anew meanwhile stays', async () => {
  const movements = signal([movement(1)])
  const loading = addNewer(movements, () => Promise.resolve([movement(2)]))
  movements.value = [movement(9)]
  await loading
  assert.deepEqual(movements.value, [movement(9)])
})
