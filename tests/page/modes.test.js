import assert from 'node:assert/strict'
import { test } from 'node:test'

import { firstMode, keepMode } from '../../barcodesvc/page/script/modes.js'

test('the first mode is the named one, or else the kept one, and otherwise a look-up', () => {
  assert.equal(firstMode('take-out'), 'take-out')
  assert.equal(firstMode('none-such'), 'look-up')
  Object.assign(globalThis, { sessionStorage: keptIn(new Map()) })
  keepMode('set')
  assert.equal(firstMode(null), 'set')
  assert.equal(firstMode('put-in'), 'put-in')
})

/** @param {Map<string, string>} values */
function keptIn(values) {
  return {
    getItem: (/** @type {string} */ name) => values.get(name) ?? null,
    setItem: (/** @type {string} */ name, /** @type {string} */ value) => void values.set(name, value),
  }
}
