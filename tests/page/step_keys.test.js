import assert from 'node:assert/strict'
import { mock, test } from 'node:test'

import { SIGN_WAITS } from '../../barcodesvc/page/script/scanner/typed_keys.js'
import { StepKeys } from '../../barcodesvc/page/script/scan/step_keys.js'

mock.timers.enable({ apis: ['setTimeout'] })

/** Return keys, and the steps that they have made. */
function pretended() {
  /** @type {number[]} */
  const steps = []
  return { keys: new StepKeys((sign) => steps.push(sign)), steps }
}

test('a sign is a step once no other key has followed it', () => {
  const { keys, steps } = pretended()
  assert.equal(keys.type('-', true), true)
  assert.deepEqual(steps, [])
  mock.timers.tick(SIGN_WAITS)
  assert.deepEqual(steps, [-1])
  mock.timers.tick(SIGN_WAITS)
  assert.deepEqual(steps, [-1])
})

test('each of several signs counts, however fast they are pressed', () => {
  const { keys, steps } = pretended()
  for (const sign of ['+', '+', '-', '+']) keys.type(sign, true)
  assert.deepEqual(steps, [1, 1, -1])
  mock.timers.tick(SIGN_WAITS)
  assert.deepEqual(steps, [1, 1, -1, 1])
})

test('a scan makes the step that waits, for the product that was shown', () => {
  const { keys, steps } = pretended()
  keys.type('+', true)
  keys.end()
  assert.deepEqual(steps, [1])
  mock.timers.tick(SIGN_WAITS)
  assert.deepEqual(steps, [1])
})

test('a sign that another key follows at once is part of a code', () => {
  const { keys, steps } = pretended()
  keys.type('-', true)
  assert.equal(keys.type('8', true), false)
  mock.timers.tick(SIGN_WAITS)
  assert.deepEqual(steps, [])
})

test('a sign waits anew at each key, and not at all once it is part of a code', () => {
  const { keys, steps } = pretended()
  keys.type('-', true)
  mock.timers.tick(SIGN_WAITS - 1)
  keys.wait()
  mock.timers.tick(SIGN_WAITS - 1)
  assert.deepEqual(steps, [])
  keys.forget()
  keys.wait()
  mock.timers.tick(SIGN_WAITS)
  assert.deepEqual(steps, [])
})

test('without a product there is no step', () => {
  const { keys, steps } = pretended()
  assert.equal(keys.type('+', false), false)
  mock.timers.tick(SIGN_WAITS)
  assert.deepEqual(steps, [])
})
