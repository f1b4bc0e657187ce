import assert from 'node:assert/strict'
import { test } from 'node:test'

import { firstMode, keepMode } from '../../barcodesvc/page/script/scan/modes.js'
import { pretendStorage } from './pretended_storage.js'

test('the first mode is the named one, or else the kept one, and otherwise a look-up', () => {
  assert.equal(firstMode('take-out'), 'take-out')
  assert.equal(firstMode('none-such'), 'look-up')
  pretendStorage('sessionStorage')
  keepMode('set')
  assert.equal(firstMode(null), 'set')
  assert.equal(firstMode('put-in'), 'put-in')
})
