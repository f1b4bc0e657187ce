import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Sightings } from '../../barcodesvc/page/script/scanner/sightings.js'

/**
 * Return what is seen anew in pictures that follow each other.
 *
 * @param {string[][]} pictures the codes of each
 * @param {number} [between] milliseconds from one to the next
 */
function seen(pictures, between = 250) {
  const sightings = new Sightings()
  return pictures.map((codes, index) => sightings.see(codes, index * between).join())
}

test('a code that stays in the picture is seen once', () => {
  assert.deepEqual(seen([['A'], ['A'], ['A'], ['A']]), ['A', '', '', ''])
})

test('a code that left the picture and comes back is seen again', () => {
  assert.deepEqual(seen([['A'], [], [], ['A'], ['A']], 400), ['A', '', '', 'A', ''])
})

test('a blurred picture ends no sighting, nor do several in a short time', () => {
  assert.deepEqual(seen([['A'], [], ['A']], 1000), ['A', '', ''])
  assert.deepEqual(seen([['A'], [], [], ['A']], 200), ['A', '', '', ''])
})

test('each code of a picture is seen by itself', () => {
  assert.deepEqual(seen([['A'], ['A', 'B'], ['B'], ['B', 'C']]), ['A', 'B', '', 'C'])
})

test('a code that is twice in a picture is one', () => {
  assert.deepEqual(seen([['A', 'A']]), ['A'])
})
