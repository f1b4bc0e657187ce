import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import { stepsOf } from '../../barcodesvc/page/script/products/level.js'

const MOVEMENTS = [
  { old_level: 9, new_level: 4, updated_at: '2026-01-03T00:00:00.000Z' },
  { old_level: 0, new_level: 9, updated_at: '2026-01-01T00:00:00.000Z' },
]
const NOW = Date.parse('2026-01-05T00:00:00.000Z')

test('a level stays until it changes, then jumps, from the oldest movement until now', () => {
  assert.equal(stepsOf(MOVEMENTS, NOW, 10, 100, 50), 'M0 50H0V5H50V30H100')
})

test('a clock that is behind the service ends the line at the newest movement', () => {
  assert.equal(stepsOf(MOVEMENTS, 0, 10, 100, 50), 'M0 50H0V5H100V30H100')
})

test('movements at one moment are drawn above each other', () => {
  const moment = MOVEMENTS.map((each) => ({ ...each, updated_at: '2026-01-05T00:00:00.000Z' }))
  assert.equal(stepsOf(moment, NOW, 10, 100, 50), 'M0 50H0V5H0V30H0')
})
