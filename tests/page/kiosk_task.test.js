import assert from 'node:assert/strict'
import { test } from 'node:test'

import { KioskTask, MOST_COPIES } from '../../barcodesvc/page/script/kiosk/task.js'

const pen = { id: 1, product_code: 'PEN', description: 'Blue pen' }
const bolt = { id: 2, product_code: 'BOLT', description: 'Bolt' }

/** @param {string[]} typed */
function copiesOf(...typed) {
  const task = new KioskTask(pen)
  for (const text of typed) assert.equal(task.type(text), true)
  return task.copies
}

test('digits set the copies, and the first of them replaces what was there', () => {
  assert.equal(copiesOf('1', '2'), 12)
  assert.equal(copiesOf('0', '7'), 7)
  assert.equal(copiesOf('0'), 1)
  assert.equal(copiesOf('500'), 500)
  const task = new KioskTask(pen)
  task.step(4)
  task.type('3')
  task.step(1)
  assert.equal(task.copies, 4)
  task.type('2')
  assert.equal(task.copies, 2)
})

test('other characters set nothing', () => {
  const task = new KioskTask(pen)
  assert.equal(task.type('x'), false)
  assert.equal(task.type('1,5'), false)
  assert.equal(task.copies, 1)
})

test('more digits than copies can have set nothing until they are ended', () => {
  const task = new KioskTask(pen)
  for (const digit of '4006381333931') task.type(digit)
  assert.deepEqual([task.copies, task.isMistyped], [1, true])
  task.keep()
  task.type('5')
  assert.deepEqual([task.copies, task.isMistyped], [5, false])
})

test('typed digits can be deleted one by one', () => {
  const task = new KioskTask(pen)
  task.type('12')
  task.erase()
  assert.equal(task.copies, 1)
  task.type('3')
  assert.equal(task.copies, 13)
  for (let left = 3; left > 0; left -= 1) task.erase()
  assert.equal(task.copies, 1)
})

test('digits that were part of a code are taken back, and the copies are what they were', () => {
  const task = new KioskTask(pen)
  task.step(2)
  task.type('4')
  task.type('0')
  task.takeBack(2)
  assert.equal(task.copies, 3)
  task.type('1')
  task.type('2')
  task.type('4')
  task.takeBack(1)
  assert.equal(task.copies, 12)
})

test('a task that was left stays so behind the digits of a code', () => {
  const task = new KioskTask(pen)
  task.step(2)
  assert.equal(task.scan(bolt), 'ask')
  task.type('4')
  task.takeBack(1)
  assert.equal(task.isLeft, true)
  assert.equal(task.scan(bolt), 'replace')
})

test('copies stay between one and the maximum', () => {
  const task = new KioskTask(pen)
  task.step(-1)
  assert.equal(task.copies, 1)
  task.step(MOST_COPIES + 1)
  assert.equal(task.copies, MOST_COPIES)
})

test('a scan of the same product is one more label, and ends the typing', () => {
  const task = new KioskTask(pen)
  task.type('4')
  assert.equal(task.scan(pen), 'more')
  task.type('9')
  assert.equal(task.copies, 9)
})

test('another product replaces counted copies only when it is scanned twice in a row', () => {
  const task = new KioskTask(pen)
  assert.equal(task.scan(bolt), 'replace')
  task.type('40')
  assert.deepEqual([task.scan(bolt), task.copies], ['ask', 40])
  assert.equal(task.scan(bolt), 'replace')
  task.keep()
  for (const ends of [() => task.keep(), () => task.scan(pen), () => task.type('40'), () => task.step(1)]) {
    assert.equal(task.scan(bolt), 'ask')
    ends()
  }
  assert.equal(task.scan(bolt), 'ask')
})

test('a task with counted copies is left by another code, until a person turns to it again', () => {
  const task = new KioskTask(pen)
  task.type('40')
  for (const turns of [() => task.type('4'), () => task.step(1), () => task.scan(pen), () => task.erase()]) {
    task.scan(bolt)
    assert.equal(task.isLeft, true)
    turns()
    assert.equal(task.isLeft, false)
    task.leave()
    assert.equal(task.isLeft, true)
  }
})

test('a task that may be printed stays as it is, and a scan of its product prints it again', () => {
  const task = new KioskTask(pen)
  assert.equal(task.isWorthKeeping, false)
  task.isUnsure = true
  assert.equal(task.isWorthKeeping, true)
  assert.equal(task.type('40'), true)
  task.step(1)
  assert.deepEqual([task.scan(bolt), task.isLeft], ['ask', true])
  assert.deepEqual([task.scan(pen), task.isLeft], ['again', false])
  assert.deepEqual([task.copies, task.isMistyped], [1, false])
})
