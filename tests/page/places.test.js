import assert from 'node:assert/strict'
import { test } from 'node:test'

import { inArea, isInside, visiblePart } from '../../barcodesvc/page/script/camera/places.js'

const PART = { x: 0, y: 350, width: 800, height: 300 }

/**
 * Return the corners of a square of 100.
 *
 * @param {number} x
 * @param {number} y
 */
function square(x, y) {
  return [
    { x, y },
    { x: x + 100, y },
    { x: x + 100, y: y + 100 },
    { x, y: y + 100 },
  ]
}

test('a wide element shows the middle of a high video', () => {
  assert.deepEqual(visiblePart({ videoWidth: 800, videoHeight: 1000, clientWidth: 400, clientHeight: 150 }), PART)
  assert.ok(isInside({ x: 400, y: 400 }, PART))
  assert.ok(!isInside({ x: 400, y: 300 }, PART))
})

test('a code that reaches the middle of what is visible, about, is central', () => {
  assert.deepEqual(inArea(square(350, 450), PART), { distance: 0, isCentral: true })
  assert.equal(inArea(square(425, 450), PART).isCentral, true)
  assert.equal(inArea(square(600, 450), PART).isCentral, false)
  assert.equal(inArea(square(600, 450), PART).distance, 250)
})
