import assert from 'node:assert/strict'
import { test } from 'node:test'

import { pauseBehind } from '../../barcodesvc/page/script/search_pause.js'

test('a text too short for the index of the service waits longer for its next key', () => {
  assert.ok(pauseBehind('bi') > 2 * pauseBehind('bin'))
  assert.ok(pauseBehind('b') > 2 * pauseBehind('bin'))
})

test('an emptied field shows everything at once', () => {
  assert.equal(pauseBehind(''), pauseBehind('bin'))
})
