import assert from 'node:assert/strict'
import { test } from 'node:test'

import { codesOf, readPicture } from '../../barcodesvc/page/script/camera/zxing_codes.js'

const CORNER = { x: 1, y: 2 }
const position = { topLeft: CORNER, topRight: CORNER, bottomRight: CORNER, bottomLeft: CORNER }

/**
 * @param {string} text
 * @param {string} format
 * @param {string} [symbology]
 * @param {object} [others]
 */
function found(text, format, symbology = format, others = {}) {
  return { text, format, symbology, symbologyIdentifier: ']C1', contentType: 'Text', position, ...others }
}

/**
 * @param {number} left
 * @param {number} right
 * @param {number} top
 * @param {number} bottom
 */
function at(left, right, top, bottom) {
  const [topLeft, topRight] = [left, right].map((x) => ({ x, y: top }))
  const [bottomLeft, bottomRight] = [left, right].map((x) => ({ x, y: bottom }))
  return { topLeft, topRight, bottomRight, bottomLeft }
}

/** @param {...ReturnType<typeof found>} all */
function read(...all) {
  return codesOf(all).map(({ text, type }) => [text, type])
}

test('a retail number has the digits that a scanner sends', () => {
  assert.deepEqual(read(found('4006381333931', 'EAN13', 'EANUPC')), [['4006381333931', 'EAN13']])
  assert.deepEqual(read(found('0012345678905', 'EAN13', 'EANUPC')), [['012345678905', 'UPCA']])
  assert.deepEqual(read(found('0012345000065', 'UPCE', 'EANUPC')), [['012345000065', 'UPCE']])
  assert.deepEqual(read(found('96385074', 'EAN8', 'EANUPC')), [['96385074', 'EAN8']])
})

test('an add-on follows a plus, and the number without it is the same code', () => {
  const codes = [found('977123456700305', 'EAN13', 'EANUPC'), found('9771234567003', 'EAN13', 'EANUPC')]
  assert.deepEqual(read(...codes), [['9771234567003+05', 'EAN13']])
})

test('the place of a number with its add-on has the lines of both', () => {
  const [above, below] = [at(22, 211, 11, 20), at(22, 265, 21, 30)]
  const number = found('9771234567003', 'EAN13', 'EANUPC', { position: above })
  const issue = found('977123456700305', 'EAN13', 'EANUPC', { position: below })
  const { topLeft, topRight, bottomRight, bottomLeft } = at(22, 265, 11, 30)
  assert.deepEqual(codesOf([number, issue])[0]?.position, [topLeft, topRight, bottomRight, bottomLeft])
})

test('GS1 data follow their symbology identifier', () => {
  assert.deepEqual(read(found('0104006381333931', 'Code128', 'Code128', { contentType: 'GS1' })), [
    [']C10104006381333931', 'Code128'],
  ])
})

test('other codes are as they are, with the family of their symbology', () => {
  assert.deepEqual(read(found('A-1', 'QRCodeModel2', 'QRCode')), [['A-1', 'QRCode']])
  assert.deepEqual(codesOf([found('A', 'Code39Std', 'Code39')])[0]?.position, [CORNER, CORNER, CORNER, CORNER])
})

test('each picture gives its codes without their bytes, or null if it cannot be read', async () => {
  const asked = { picture: {}, options: {} }
  const code = found('A-1', 'QRCode')
  assert.deepEqual(await readPicture(() => Promise.resolve([{ ...code, bytes: 'A-1' }]), asked), [code])
  assert.equal(await readPicture(() => Promise.reject(new Error('out of memory')), asked), null)
})
