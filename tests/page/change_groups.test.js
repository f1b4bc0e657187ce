import assert from 'node:assert/strict'
import { test } from 'node:test'

import { endsInGroup, groupsOf } from '../../barcodesvc/page/script/products/change_groups.js'

/**
 * @param {number} count
 * @param {object} [changed]
 */
function movements(count, changed) {
  const movement = {
    updated_at: '2026-03-01T10:00:00.000Z',
    updated_by: 'Anna',
    change_reason: 'initial level',
    undoes: null,
  }
  return Array.from({ length: count }, () => ({ ...movement, ...changed }))
}

/** @param {ReturnType<typeof movements>} changes */
const sizes = (changes) => groupsOf(changes).map((group) => group.length)

test('the movements of an import are one group between others', () => {
  const others = movements(1, { updated_by: 'Ben' })
  assert.deepEqual(sizes([...others, ...movements(326), ...others]), [1, 326, 1])
})

test('few movements at exactly one time are one group, unless they are scans', () => {
  assert.deepEqual(sizes(movements(2)), [2])
  assert.deepEqual(sizes(movements(4, { scanned_at: '2026-03-01T09:00:00.000Z' })), [1, 1, 1, 1])
})

test('few movements one after the other, and those without a reason, stay apart', () => {
  const four = [0, 1, 2, 3].flatMap((ms) => movements(1, { updated_at: new Date(ms).toISOString() }))
  assert.deepEqual(sizes(four), [1, 1, 1, 1])
  assert.equal(sizes(movements(9, { change_reason: '' })).length, 9)
  assert.equal(sizes(movements(9, { undoes: 3 })).length, 9)
})

test('another author, another reason, or a pause ends a group', () => {
  for (const changed of [
    { updated_by: 'Ben' },
    { change_reason: 'delivery' },
    { updated_at: '2026-03-01T10:00:01.500Z' },
    { scanned_at: '2026-03-01T09:00:00.000Z' },
  ]) {
    assert.deepEqual(sizes([...movements(5), ...movements(6, changed)]), [5, 6])
  }
})

test('an import that takes a while is one group', () => {
  const slow = Array.from({ length: 6 }, (_, index) =>
    movements(1, { updated_at: new Date(index * 900).toISOString() }),
  )
  assert.deepEqual(sizes(slow.flat()), [6])
})

test('a list may end within a group', () => {
  assert.equal(endsInGroup(movements(50)), true)
  assert.equal(endsInGroup([...movements(50), ...movements(1, { updated_by: 'Ben' })]), false)
  assert.equal(endsInGroup([]), false)
})
