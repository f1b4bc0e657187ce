import assert from 'node:assert/strict'
import { test } from 'node:test'

import { visible } from '../../barcodesvc/page/script/camera/places.js'

/** Return the distance of a visible square of 100 from the middle, and whether it is central. @param {number} x @param {number} y */
function seen(x, y) {
  const position = [
    { x, y },
    { x: x + 100, y },
    { x: x + 100, y: y + 100 },
    { x, y: y + 100 },
  ]
  const video = { videoWidth: 800, videoHeight: 1000, clientWidth: 400, clientHeight: 150 }
  return visible([{ text: 'A', type: 'QR', position }], video).map(({ distance, isCentral }) => [distance, isCentral])
}

test('of a high video in a wide element, a code in the part in the middle is seen', () => {
  assert.deepEqual(seen(350, 350), [[100, false]])
  assert.deepEqual(seen(350, 250), [])
})

test('a code that reaches the middle of what is visible, about, is central', () => {
  assert.deepEqual(seen(350, 450), [[0, true]])
  assert.deepEqual(seen(425, 450), [[75, true]])
  assert.deepEqual(seen(600, 450), [[250, false]])
})
