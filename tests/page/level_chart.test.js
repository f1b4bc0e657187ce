import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import { levelsOf, steps } from '../../barcodesvc/page/script/products/level.js'

const CHANGES = [
  { old_level: 9, new_level: 4, updated_at: '2026-01-03T00:00:00.000Z' },
  { old_level: 0, new_level: 9, updated_at: '2026-01-01T00:00:00.000Z' },
]
const NOW = Date.parse('2026-01-05T00:00:00.000Z')

test('levels extend from the oldest change until now', () => {
  assert.deepEqual(
    levelsOf(CHANGES, NOW).map(({ time, level }) => [new Date(time).toISOString().slice(0, 10), level]),
    [
      ['2026-01-01', 0],
      ['2026-01-01', 9],
      ['2026-01-03', 4],
      ['2026-01-05', 4],
    ],
  )
})

test('without changes there are no levels', () => {
  assert.deepEqual(levelsOf([], NOW), [])
})

test('a clock that is behind the service ends the line at the newest change', () => {
  assert.equal(levelsOf(CHANGES, 0).at(-1)?.time, Date.parse('2026-01-03T00:00:00.000Z'))
})

test('a level stays until it changes, then jumps', () => {
  assert.equal(steps(levelsOf(CHANGES, NOW), 10, 100, 50), 'M0 50H0V5H50V30H100V30')
})

test('changes at one moment are drawn above each other', () => {
  const [change] = CHANGES
  assert.ok(change)
  assert.equal(steps(levelsOf([change], Date.parse(change.updated_at)), 10, 100, 50), 'M0 5H0V30H0V30')
})
