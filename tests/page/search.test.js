import assert from 'node:assert/strict'
import { test } from 'node:test'

import { pauseBehind } from '../../barcodesvc/page/script/products/search.js'

test('words too short for the index of the service wait longer for the next key', () => {
  assert.ok(pauseBehind('bi') > 2 * pauseBehind('bin'))
  assert.ok(pauseBehind('b') > 2 * pauseBehind('bin'))
  assert.equal(pauseBehind('m5 x'), pauseBehind('b'))
  assert.equal(pauseBehind('m5 bin'), pauseBehind('bin'))
})

test('an emptied field shows everything at once', () => {
  assert.equal(pauseBehind(''), pauseBehind('bin'))
})
