import assert from 'node:assert/strict'
import { test } from 'node:test'

import * as tasks from '../../barcodesvc/page/script/kiosk/task.js'

const { beginTask, clearCopies, copiesOf, eraseDigit, isTooMany, isWorthKeeping, MOST_COPIES } = tasks
const { stepCopies, takeBackDigits, typeDigits } = tasks

/** @typedef {import('../../barcodesvc/page/script/kiosk/task.js').Task} Task */

const begun = beginTask({ id: 1, product_code: 'PEN', description: 'Blue pen' }, 'PEN')

/** @param {string[]} typed */
function typing(...typed) {
  return typed.reduce(typeDigits, begun)
}

test('digits set the copies, and the first of them replaces what was there', () => {
  assert.deepEqual([typing('1', '2'), typing('0', '7'), typing('0'), typing('500')].map(copiesOf), [12, 7, 1, 500])
  const stepped = stepCopies(typeDigits(stepCopies(begun, 4), '3'), 1)
  assert.deepEqual([copiesOf(stepped), copiesOf(typeDigits(stepped, '2'))], [4, 2])
})

test('more digits than copies can have set nothing', () => {
  const code = typing(...'4006381333931')
  assert.deepEqual([copiesOf(code), isTooMany(code)], [1, true])
  const ended = typeDigits(clearCopies(code), '5')
  assert.deepEqual([copiesOf(ended), isTooMany(ended)], [5, false])
})

test('typed digits can be deleted one by one', () => {
  const erased = eraseDigit(typing('12'))
  assert.equal(copiesOf(erased), 1)
  assert.equal(copiesOf(typeDigits(erased, '3')), 13)
  assert.equal(copiesOf(eraseDigit(eraseDigit(typing('12')))), 1)
  assert.equal(copiesOf(eraseDigit(stepCopies(begun, 4))), 1)
})

test('digits that were part of a code are taken back, and the copies are what they were', () => {
  assert.equal(copiesOf(takeBackDigits(['4', '0'].reduce(typeDigits, stepCopies(begun, 2)), 2)), 3)
  assert.equal(copiesOf(takeBackDigits(typing('1', '2', '4'), 1)), 12)
})

test('copies stay between one and the maximum', () => {
  assert.deepEqual([stepCopies(begun, -1), stepCopies(begun, MOST_COPIES + 1)].map(copiesOf), [1, MOST_COPIES])
})

test('a task with counted copies is worth keeping', () => {
  assert.deepEqual([begun, typing('2'), stepCopies(begun, 1)].map(isWorthKeeping), [false, true, true])
})

test('a task that may be printed stays as it is', () => {
  /** @type {Task} */
  const unsure = { ...typing('4'), sent: { order: { products: [], code_type: 'best', layout: {} }, key: 'key' } }
  const changed = [stepCopies(unsure, 1), typeDigits(unsure, '9'), eraseDigit(unsure), clearCopies(unsure)]
  assert.deepEqual([...new Set(changed)], [unsure])
})
