import assert from 'node:assert/strict'
import { test } from 'node:test'

import { nearestPage } from '../../barcodesvc/page/script/lists.js'

test('a typed page is the nearest that there is', () => {
  const place = { page: 2, pages: 3, total: 120 }
  assert.deepEqual(
    [1, 9, 0, -4, null].map((wanted) => nearestPage(wanted, place)),
    [1, 3, 1, 1, 2],
  )
})

test('a list without pages leads back to the first', () => {
  assert.deepEqual(
    [1, 2, null].map((wanted) => nearestPage(wanted, { page: 3, pages: 0, total: 0 })),
    [1, 1, 1],
  )
})
