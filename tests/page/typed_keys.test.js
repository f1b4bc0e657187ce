import assert from 'node:assert/strict'
import { test } from 'node:test'

import { TypedKeys } from '../../barcodesvc/page/script/scanner/wedge.js'

/**
 * Type keys one by one; a number is milliseconds before the next one. Return the keys, and whether each is part of a code.
 *
 * @param {...(string | number)} keys
 */
function typed(...keys) {
  const made = new TypedKeys()
  let time = 10_000
  const codes = []
  for (const key of keys) {
    if (typeof key === 'number') time += key
    else codes.push(made.type(key, { first: time, last: time, isQuick: false }))
  }
  return { keys: made, time, codes }
}

test('digits at a pace of a person are no code, however many', () => {
  assert.deepEqual(typed('4', 120, '0', 700, '1', 130, '1').codes, [false, false, false, false])
})

test('digits quicker than a person are a code, and what follows within a second', () => {
  assert.deepEqual(typed('4', 119, '6', 999, '1', 1000, '2').codes, [false, true, true, false])
  assert.equal(new TypedKeys().type('46', { first: 0, last: 5, isQuick: true }), true)
})

test('digits within a second of a letter, before or after it, are a code', () => {
  assert.deepEqual(typed('H', 999, '1').codes, [false, true])
  assert.deepEqual(typed('1', 999, 'H').codes, [false, true])
  assert.deepEqual(typed('1', 999, ' ').codes, [false, true])
  assert.deepEqual(typed('H', 1000, '1').codes, [false, false])
})

test('a sign has the amount before it, and is part of a code if a key follows', () => {
  assert.deepEqual(typed('5', 300, '-').codes, [false, false])
  assert.deepEqual(typed('5', 300, '-', 649, '7').codes, [false, false, true])
  assert.deepEqual(typed('-', 650, '7').codes, [false, false])
  assert.deepEqual(typed('+', 80, '+').codes, [false, false])
  assert.deepEqual(typed('A', 300, '-').codes, [false, true])
})

test('letters alone are a code if three come quickly', () => {
  assert.deepEqual(typed('A', 60, 'B', 60, 'C').codes, [false, false, true])
  assert.deepEqual(typed('A', 200, 'B', 200, 'C').codes, [false, false, false])
})

test('an Enter quicker than a person, or behind a code, ends a code', () => {
  for (const [pause, isOfCode] of /** @type {const} */ ([
    [119, true],
    [120, false],
  ])) {
    const { keys, time } = typed('5')
    assert.equal(keys.enter(time + pause), isOfCode)
  }
  const { keys, time } = typed('4', 60, '6')
  assert.equal(keys.enter(time + 600), true)
  assert.equal(keys.enter(time + 610), false)
})

test('what comes within 600 ms of a scan that silence ended is its rest, and an Enter ends that', () => {
  const { keys } = typed()
  const scanned = { first: 0, last: 1000, isQuick: true }
  assert.equal(keys.scan(scanned, 'silence'), false)
  assert.equal(keys.type('7', { first: 1599, last: 1599, isQuick: false }), true)
  assert.equal(keys.type('8', { first: 2198, last: 2198, isQuick: false }), true)
  keys.scan(scanned, 'silence')
  assert.equal(keys.type('7', { first: 1600, last: 1600, isQuick: false }), false)
  keys.scan(scanned, 'enter')
  assert.equal(keys.type('7', { first: 1200, last: 1200, isQuick: false }), false)
})

test('a scan within 600 ms of other keys is the rest of a code', () => {
  for (const [pause, isRest] of /** @type {const} */ ([
    [599, true],
    [600, false],
  ])) {
    const { keys, time } = typed('4')
    assert.equal(keys.scan({ first: time + pause, last: time + 800, isQuick: true }, 'enter'), isRest)
  }
})

test('a scan with an Enter right behind one without is the rest of that', () => {
  const keys = new TypedKeys()
  keys.scan({ first: 0, last: 100, isQuick: true }, 'silence')
  assert.equal(keys.scan({ first: 699, last: 750, isQuick: true }, 'enter'), true)
  keys.scan({ first: 1000, last: 1100, isQuick: true }, 'silence')
  assert.equal(keys.scan({ first: 1400, last: 1500, isQuick: true }, 'silence'), false)
})
