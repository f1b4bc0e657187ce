import assert from 'node:assert/strict'
import { test } from 'node:test'

import { signed } from '../../barcodesvc/page/script/formats.js'

test('a change has its sign', () => {
  assert.deepEqual([signed(3), signed(-1200), signed(0)], ['+3', '−1,200', '±0'])
})
