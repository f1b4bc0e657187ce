import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'

import './pretended_document.js'

import { previewRequest, printRequest } from '../../barcodesvc/page/script/labels/printing.js'
import { change, DEFAULTS } from '../../barcodesvc/page/script/settings.js'

const products = [
  { code: 'A', copies: 2 },
  { code: 'B', copies: 30 },
  { code: 'C', copies: 1 },
]
const order = { products, symbology: 'best', sheet: 'L7160', first: 5, layout: { include_unit: true } }

afterEach(() => change(DEFAULTS))

test('a layout is sent with the sheet and the first free label', () => {
  const { layout, ...rest } = printRequest(order)
  assert.deepEqual(rest, { products, code_type: 'best' })
  assert.deepEqual(layout, { include_unit: true, sheet: 'L7160', start_position: 5 })
})

test('a layout that names no sheet says where it begins', () => {
  assert.deepEqual(printRequest({ ...order, sheet: '', layout: { name: 'shelf' } }).layout, { name: 'shelf' })
})

test('the correction of the printer is sent only if this device has one', () => {
  change({ offsetX: 1, scale: 101 })
  assert.deepEqual(printRequest({ ...order, sheet: '', layout: { offset_y: 3 } }).layout, {
    offset_x: 1,
    offset_y: 0,
    scale: 1.01,
  })
})

test('a preview asks for the labels of its page, and one of each further product', () => {
  const { products: drawn, output } = previewRequest(order, 17)
  assert.equal(output, 'png')
  assert.deepEqual(drawn, [
    { code: 'A', copies: 2 },
    { code: 'B', copies: 15 },
    { code: 'C', copies: 1 },
  ])
  assert.deepEqual(previewRequest({ ...order, products: products.slice(0, 1) }, 1).products, [{ code: 'A', copies: 1 }])
  const many = Array.from({ length: 900 }, (_, at) => ({ code: String(at), copies: 3 }))
  assert.equal(previewRequest({ ...order, products: many }, 1).products.length, 501)
})
