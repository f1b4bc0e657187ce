import assert from 'node:assert/strict'
import { test } from 'node:test'

import { latestOnly } from '../../barcodesvc/page/script/latest.js'

test('only the last request may show its result', () => {
  const begin = latestOnly()
  const first = begin()
  assert.equal(first(), true)
  const second = begin()
  assert.deepEqual([first(), second()], [false, true])
})
