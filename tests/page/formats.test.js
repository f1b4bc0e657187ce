import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import { speak } from '../../barcodesvc/page/script/language.js'
import { amountOf, boundsOf, dayOf, decimal, exact, signed, wholeNumber } from '../../barcodesvc/page/script/formats.js'

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

test('a booking says its packs, as soon as they are known', () => {
  const result = { productId: 1, productCode: 'A-1', description: '', changeId: 7, oldLevel: 3, newLevel: 15, pack: 6 }
  assert.equal(amountOf({ level: null, delta: 2 }), '+2')
  assert.equal(amountOf({ level: null, delta: -2 }, 6), '−12 (2 × 6)')
  assert.equal(amountOf({ level: null, delta: 2, result }), '+12 (2 × 6)')
  assert.equal(amountOf({ level: null, delta: 12, result: { ...result, pack: 1 } }), '+12')
  assert.equal(amountOf({ level: 15, delta: null, result }), '= 15')
})

test('what is inside a code is a booking of an unknown amount until the service has counted it', () => {
  const result = { productId: 1, productCode: 'A-1', description: '', changeId: 7, oldLevel: 0, newLevel: 1234 }
  assert.equal(amountOf({ level: null, delta: -1, embedded: true }), '−…')
  assert.equal(amountOf({ level: null, delta: 1, embedded: true, result }), '+1,234')
})

test('a value inside a code keeps its decimals, written as in the language', async () => {
  assert.deepEqual(['12.50', '1.234', '7'].map(exact), ['12.50', '1.234', '7'])
  await speak('de')
  assert.equal(exact('12.50'), '12,50')
  await speak('en')
})
