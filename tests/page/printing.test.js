import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'

import './pretended_document.js'

import { alone, previewRequest, printRequest } from '../../barcodesvc/page/script/labels/orders.js'
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

test('a preview asks for a label of each product, and for no correction of the printer', () => {
  change({ offsetX: 1 })
  const { products: drawn, output, layout } = previewRequest(order)
  assert.equal(output, 'png')
  assert.deepEqual(
    drawn,
    ['A', 'B', 'C'].map((code) => ({ code, copies: 1 })),
  )
  assert.deepEqual(layout, printRequest({ ...order, printer: 'zebra' }).layout)
  const many = Array.from({ length: 900 }, (_, at) => ({ code: String(at), copies: 3 }))
  assert.equal(previewRequest({ ...order, products: many }).products.length, 501)
})

test('one label of a sheet is as large as those of the sheet, or of the layout that has no sheet', () => {
  const sheet = /** @type {any} */ ({ sheet: 'L7160', label_width: 63.5, label_height: 38.1 })
  const { sheet: size, first, layout } = alone({ ...order, layout: { rotate: 90, offset_x: 2 } }, sheet)
  assert.deepEqual([size, first, layout], ['63.5x38.1mm', 1, { rotate: 90 }])
  const unnamed = /** @type {any} */ ({ sheet: '', label_width: 0, label_height: 0 })
  assert.equal(alone({ ...order, sheet: '', layout: { label_width: 60, label_height: 20 } }, unnamed).sheet, '60x20mm')
  assert.equal(alone({ ...order, sheet: '', layout: {} }, unnamed).sheet, '')
})
