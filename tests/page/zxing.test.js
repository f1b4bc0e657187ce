import assert from 'node:assert/strict'
import { test } from 'node:test'

import { readPicture } from '../../barcodesvc/page/script/camera/zxing.js'

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
async function codesOf(...all) {
  return (await readPicture(() => Promise.resolve(all), { picture: {}, isTurned: false })) ?? []
}

/** @param {...ReturnType<typeof found>} all */
async function read(...all) {
  return (await codesOf(...all)).map(({ text, type }) => [text, type])
}

test('a retail number has the digits that a scanner sends', async () => {
  assert.deepEqual(await read(found('4006381333931', 'EAN13', 'EANUPC')), [['4006381333931', 'EAN13']])
  assert.deepEqual(await read(found('0012345678905', 'EAN13', 'EANUPC')), [['012345678905', 'UPCA']])
  assert.deepEqual(await read(found('0012345000065', 'UPCE', 'EANUPC')), [['012345000065', 'UPCE']])
  assert.deepEqual(await read(found('96385074', 'EAN8', 'EANUPC')), [['96385074', 'EAN8']])
})

test('an add-on follows a plus, and the number without it is the same code', async () => {
  const codes = [found('977123456700305', 'EAN13', 'EANUPC'), found('9771234567003', 'EAN13', 'EANUPC')]
  assert.deepEqual(await read(...codes), [['9771234567003+05', 'EAN13']])
})

test('the place of a number with its add-on has the lines of both', async () => {
  const [above, below] = [at(22, 211, 11, 20), at(22, 265, 21, 30)]
  const number = found('9771234567003', 'EAN13', 'EANUPC', { position: above })
  const issue = found('977123456700305', 'EAN13', 'EANUPC', { position: below })
  const { topLeft, topRight, bottomRight, bottomLeft } = at(22, 265, 11, 30)
  assert.deepEqual((await codesOf(number, issue))[0]?.position, [topLeft, topRight, bottomRight, bottomLeft])
})

test('GS1 data follow their symbology identifier', async () => {
  assert.deepEqual(await read(found('0104006381333931', 'Code128', 'Code128', { contentType: 'GS1' })), [
    [']C10104006381333931', 'Code128'],
  ])
})

test('other codes are as they are, with the family of their symbology', async () => {
  assert.deepEqual(await read(found('A-1', 'QRCodeModel2', 'QRCode')), [['A-1', 'QRCode']])
  assert.deepEqual((await codesOf(found('A', 'Code39Std', 'Code39')))[0]?.position, [CORNER, CORNER, CORNER, CORNER])
})

test('a picture that cannot be read has no codes, not even none', async () => {
  const fails = () => Promise.reject(new Error('out of memory'))
  assert.equal(await readPicture(fails, { picture: {}, isTurned: true }), null)
})
