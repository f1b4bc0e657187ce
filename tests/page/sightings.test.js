import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Sightings } from '../../barcodesvc/page/script/scanner/sightings.js'

test('a code that stays in the picture is seen once', () => {
  const sightings = new Sightings()
  assert.deepEqual(sightings.see(['A-1'], 0), ['A-1'])
  for (let time = 250; time < 10_000; time += 250) assert.deepEqual(sightings.see(['A-1'], time), [])
})

test('one blurred picture ends no sighting', () => {
  const sightings = new Sightings()
  sightings.see(['A-1'], 0)
  sightings.see([], 250)
  assert.deepEqual(sightings.see(['A-1'], 500), [])
})

test('a code that was away comes anew', () => {
  const sightings = new Sightings()
  sightings.see(['A-1'], 0)
  for (const time of [250, 500, 750]) sightings.see([], time)
  assert.deepEqual(sightings.see(['A-1'], 1000), ['A-1'])
})

test('two codes in one picture are two, and the second comes when it comes', () => {
  const sightings = new Sightings()
  assert.deepEqual(sightings.see(['A-1'], 0), ['A-1'])
  assert.deepEqual(sightings.see(['A-1', 'B-2', 'B-2'], 250), ['B-2'])
})
