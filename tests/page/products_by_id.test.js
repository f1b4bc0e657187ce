import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import { idsOf } from '../../barcodesvc/page/script/products/products_by_id.js'

test('the numbers of an address are read once each, at most 500, and anything else is ignored', () => {
  assert.deepEqual(idsOf('3,1,3,x,,0,-2,1.5,2'), [3, 1, 2])
  assert.deepEqual([idsOf(null), idsOf(''), idsOf('7')], [[], [], [7]])
  assert.equal(idsOf(Array.from({ length: 600 }, (_, index) => index + 1).join()).length, 500)
})
