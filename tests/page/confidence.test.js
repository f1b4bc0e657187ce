import assert from 'node:assert/strict'
import { test } from 'node:test'

import { picturesFor } from '../../barcodesvc/page/script/camera/confidence.js'

/**
 * Return a code that lines of these sides have read.
 *
 * @param {string} type
 * @param {string} text
 * @param {number} [width]
 * @param {number} [height]
 * @param {number} [apart] by how many pixels the last row begins further to the right
 */
function code(type, text, width = 200, height = 100, apart = 0) {
  const position = [
    { x: 0, y: 0 },
    { x: width, y: 0 },
    { x: width + apart, y: height },
    { x: apart, y: height },
  ]
  return { type, text, position }
}

test('one picture suffices for a matrix code, and for a strong check that many lines have read', () => {
  for (const type of ['QRCode', 'GS1QR', 'DataMatrix', 'DATAMATRIX', 'Aztec', 'PDF417'])
    assert.equal(picturesFor(code(type, 'A', 200, 2)), 1)
  for (const type of ['EAN13', 'UPCA', 'Code128', 'CODE128', 'Code93'])
    assert.equal(picturesFor(code(type, '123456789012', 200, 30)), 1)
})

test('a low code needs a second picture, and one with a single check digit a third', () => {
  for (const [type, pictures] of Object.entries({ EAN13: 3, UPCA: 3, Code39: 3, EAN8: 3, Code128: 2, QRCode: 1 }))
    assert.equal(picturesFor(code(type, '96385074', 200, 24)), pictures)
})

test('a weak check needs a second picture', () => {
  for (const type of ['ITF', 'ITF14', 'Code39', 'CODE39', 'Codabar', 'UPCE', 'EAN8', 'DataBar'])
    assert.equal(picturesFor(code(type, '01234565')), 2)
})

test('a symbology that is not known has a weak check', () => {
  assert.equal(picturesFor(code('DX Film Edge', '115-7/22A')), 2)
  assert.equal(picturesFor(code('GS1-128', ']C110A')), 1)
})

test('the width of an add-on does not make its number low', () => {
  assert.equal(picturesFor(code('EAN13', '9771234567003+51299', 200, 24)), 1)
})

test('what other codes show in part, or at a slant, never counts', () => {
  assert.equal(picturesFor(code('ITF', '1234')), Infinity)
  assert.equal(picturesFor(code('UPCE', '100100006527')), Infinity)
  assert.equal(picturesFor(code('DataBar', ']e001', 60)), Infinity)
  assert.deepEqual(
    [20, 30].map((apart) => picturesFor(code('DataBar', ']e001', 200, 90, apart))),
    [2, Infinity],
  )
})
