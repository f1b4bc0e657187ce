import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import { speak } from '../../barcodesvc/page/script/language.js'
import { boundsOf, dayOf, decimal, signed, wholeNumber } from '../../barcodesvc/page/script/formats.js'

test('a day begins and ends by the clock of this device', () => {
  const { begin = '', end = '' } = boundsOf('2026-03-29')
  assert.equal(dayOf(new Date(begin)), '2026-03-29')
  assert.equal(dayOf(new Date(end)), '2026-03-29')
  assert.equal(dayOf(new Date(Date.parse(end) + 1)), '2026-03-30')
  assert.equal(dayOf(new Date(Date.parse(begin) - 1)), '2026-03-28')
})

test('an empty day has no bounds', () => {
  assert.deepEqual(boundsOf(''), {})
})

test('a whole number may be grouped as in its language, but not by a decimal sign', async () => {
  assert.deepEqual(['1200', '1,200', '1 200', '1’200'].map(wholeNumber), [1200, 1200, 1200, 1200])
  assert.deepEqual(['', '-1', 'ten', '1.5', '0,75', '1.200', '99999999999999999'].map(wholeNumber), Array(7).fill(null))
  await speak('de')
  assert.deepEqual(['1.200', '1 200', '1,200'].map(wholeNumber), [1200, 1200, null])
  await speak('en')
})

test('a number has a decimal comma or point, and a sign', () => {
  assert.deepEqual(['1.5', '-1,5', '−20', '+0,125', ' 7 ', '100'].map(decimal), [1.5, -1.5, -20, 0.125, 7, 100])
  assert.deepEqual(['', '1.5.2', '1e3', 'abc', '1 5', '-', '1.2345'].map(decimal), Array(7).fill(null))
})

test('a change has its sign', () => {
  assert.deepEqual([signed(3), signed(-1200), signed(0)], ['+3', '−1,200', '±0'])
})
