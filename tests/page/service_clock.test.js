import assert from 'node:assert/strict'
import { test } from 'node:test'

import { ServiceClock } from '../../barcodesvc/page/script/service_clock.js'

const NOON = Date.parse('2026-01-31T12:00:00Z')

/** @param {string} date */
function answer(date) {
  return new Headers({ Date: date })
}

test('an hour that a device is ahead or behind is taken off or added', () => {
  const clock = new ServiceClock()
  clock.learn(answer('Sat, 31 Jan 2026 11:00:00 GMT'), NOON - 2000, NOON + 2000)
  assert.equal(clock.timeOf('2026-01-31T12:30:00.500Z'), '2026-01-31T11:30:00.500Z')
  clock.learn(answer('Sat, 31 Jan 2026 13:00:00 GMT'), NOON, NOON)
  assert.equal(clock.timeOf('2026-01-31T12:30:00.500Z'), '2026-01-31T13:30:00.500Z')
})

test('a clock that is about right is left alone, so that its times stay in order', () => {
  const clock = new ServiceClock()
  clock.learn(answer('Sat, 31 Jan 2026 12:03:00 GMT'), NOON, NOON)
  assert.equal(clock.known, true)
  assert.equal(clock.timeOf('2026-01-31T12:30:00.500Z'), '2026-01-31T12:30:00.500Z')
})

test('an answer without a time, or with a text that is none, says nothing', () => {
  const clock = new ServiceClock()
  clock.learn(new Headers(), NOON, NOON)
  clock.learn(answer('noon'), NOON, NOON)
  assert.equal(clock.known, false)
})
