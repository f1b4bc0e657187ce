import assert from 'node:assert/strict'
import { test } from 'node:test'

import { SLOW, Wedge } from '../../barcodesvc/page/script/scanner/wedge.js'

/**
 * Type a text with so many milliseconds between two keys, and return the time of the last one.
 *
 * @param {Wedge} wedge
 * @param {string} text
 * @param {number} between
 */
function typed(wedge, text, between) {
  let time = 1000
  for (const character of text) {
    time += between
    wedge.type(character, time)
  }
  return time
}

test('keys as fast as a scanner types are a scan, which Enter ends', () => {
  const wedge = new Wedge()
  const time = typed(wedge, '4006381333931', 5)
  assert.equal(wedge.end(time + 5), 'ended')
  assert.equal(wedge.take(), '4006381333931')
})

test('keys of a person are never a scan', () => {
  const wedge = new Wedge()
  const time = typed(wedge, 'pen', 60)
  assert.equal(wedge.end(time + 60), 'alone')
})

test('two fast keys are none yet', () => {
  const wedge = new Wedge()
  const time = typed(wedge, 'ab', 5)
  assert.equal(wedge.end(time + 5), 'alone')
})

test('silence ends a scan that has no Enter behind it', () => {
  const wedge = new Wedge()
  const time = typed(wedge, 'A-1', 5)
  assert.equal(wedge.quiet(time + 50), null)
  assert.equal(wedge.quiet(time + 100), 'A-1')
})

test('a slow scanner is heard where it is told of', () => {
  for (const [pace, heard] of /** @type {const} */ ([
    [undefined, 'alone'],
    [SLOW, 'ended'],
  ])) {
    const wedge = new Wedge(pace)
    assert.equal(wedge.end(typed(wedge, 'A-1', 120) + 120), heard)
  }
})
