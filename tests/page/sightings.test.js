import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Sightings } from '../../barcodesvc/page/script/scanner/sightings.js'

/**
 * Return what counts in pictures that follow each other.
 *
 * @param {string[][]} shown the codes of each, the nearest to the centre first
 * @param {number} [between] milliseconds from one to the next
 */
function counted(shown, between = 250) {
  const sightings = new Sightings()
  return shown.map((codes, index) => sightings.see(codes, index * between) ?? '').join(' ')
}

/**
 * @param {number} count
 * @param {...string} codes of each of these pictures
 */
function pictures(count, ...codes) {
  return Array.from({ length: count }, () => codes)
}

test('a code that stays in the picture counts once', () => {
  assert.equal(counted(pictures(20, 'A')).trim(), 'A')
})

test('a code counts again after 2.5 seconds of absence', () => {
  assert.equal(
    counted([['A'], ...pictures(11), ['A'], ['A']])
      .trim()
      .split(/ +/).length,
    2,
  )
})

test('a code does not count again after a shorter absence', () => {
  assert.equal(counted([['A'], ...pictures(10), ['A'], ['A']]).trim(), 'A')
})

test('rare pictures are not an absence', () => {
  assert.equal(counted([['A'], [], ['A'], ['A'], [], ['A']], 4000).trim(), 'A')
})

test('another code counts at once', () => {
  assert.equal(counted([['A'], ['A'], ['B'], ['B']]), 'A  B ')
})

test('of several codes the nearest to the centre counts, and no other one', () => {
  assert.equal(counted(pictures(20, 'A', 'B', 'C')).trim(), 'A')
})

test('a code at the edge does not count while the one in the centre is blurred', () => {
  assert.equal(counted([['A', 'B'], ['B'], ['B'], ['A', 'B'], ['B'], []]).trim(), 'A')
})

test('a code that comes to the centre, and stays there for a second, counts', () => {
  assert.equal(counted([['A', 'B'], ...pictures(4, 'B', 'A')]), 'A    B')
})

test('a code that is twice in a picture is one', () => {
  assert.equal(counted([['A', 'A']]), 'A')
  assert.equal(counted([['A', 'A'], [], [], ['A']], 2000).trim(), 'A')
})
