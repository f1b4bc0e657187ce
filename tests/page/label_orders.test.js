import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'

import './pretended_document.js'

import { loadFurtherTexts, speak } from '../../barcodesvc/page/script/language.js'
import {
  alone,
  corrected,
  forgetOrders,
  keepOrder,
  lastOrders,
  orderFor,
  previewRequest,
  whyNotEncoded,
  whyNotPrintable,
} from '../../barcodesvc/page/script/labels/orders.js'
import { settings } from '../../barcodesvc/page/script/settings.js'
import { pretendStorage } from './pretended_storage.js'

/** @typedef {import('../../barcodesvc/page/script/types.js').Order} Order */

await speak('en')
await loadFurtherTexts()

const stored = pretendStorage('localStorage')
beforeEach(() => {
  stored.clear()
  settings.offsetX.value = 0
  settings.scale.value = 100
})

/** @type {(...codes: string[]) => Order} */
const orderOf = (...codes) => ({
  products: codes.map((code) => ({ code, copies: 2 })),
  code_type: 'best',
  layout: { rotate: 90, sheet: 'L7160', start_position: 5 },
})

test('the correction of the printer is sent only if this device has one', () => {
  assert.deepEqual(corrected(orderOf('A')), orderOf('A'))
  settings.offsetX.value = 1
  settings.scale.value = 101
  const layout = { offset_x: 1, offset_y: 0, scale: 1.01 }
  assert.deepEqual(corrected({ ...orderOf('A'), layout: { offset_y: 3 } }).layout, layout)
})

test('what is in the printer replaces the sheet', () => {
  const layout = { sheet: 'L7160', label_width: 60, dpi: 600, image: { name: 'logo', width: 9 }, start_position: 3 }
  const printer = { name: 'zebra', kind: 'zpl', label: '50x30mm', dpi: 203, state: 'ready', jobs_waiting: 0 }
  const order = orderFor({ ...orderOf('A'), layout }, printer)
  const held = { sheet: '50x30mm', start_position: 3, dpi: 203, image: layout.image }
  assert.deepEqual([order.printer, order.layout], ['zebra', held])
})

test('a preview asks for a label of each product', () => {
  const { products, output, layout, ...rest } = previewRequest({ ...orderOf('A', 'B'), printer: 'zebra' })
  assert.deepEqual([output, layout, rest], ['png', orderOf().layout, { code_type: 'best' }])
  assert.deepEqual(
    products,
    ['A', 'B'].map((code) => ({ code, copies: 1 })),
  )
  const many = Array.from({ length: 900 }, (_, at) => String(at))
  assert.equal(previewRequest(orderOf(...many)).products.length, 501)
})

test('one label of a sheet is as large as those of the sheet, or of the layout that has no sheet', () => {
  const layout = { rotate: 90, offset_x: 2, sheet: 'L7160', start_position: 5 }
  const label = alone({ ...orderOf('A'), layout }, { label_width: 63.5, label_height: 38.1 }).layout
  assert.deepEqual(label, { rotate: 90, sheet: '63.5x38.1mm', start_position: 1 })
  const unnamed = (/** @type {Order['layout']} */ measures) =>
    alone({ ...orderOf('A'), layout: measures }, { label_width: 0, label_height: 0 }).layout.sheet
  assert.equal(unnamed({ label_width: 60, label_height: 20 }), '60x20mm')
  assert.equal(unnamed({}), undefined)
})

const noon = new Date('2026-01-31T12:00:00Z')
const codes = () => lastOrders().map(({ order: { products } }) => products[0]?.code)

test('the last five orders are kept, the newest first', () => {
  for (const code of 'ABCDEF') keepOrder(orderOf(code), noon)
  assert.deepEqual(codes(), ['F', 'E', 'D', 'C', 'B'])
  assert.equal(lastOrders()[0]?.at, '2026-01-31T12:00:00.000Z')
  forgetOrders()
  assert.deepEqual(codes(), [])
})

test('the same labels from another position on are kept once', () => {
  for (const code of 'ABA') keepOrder({ ...orderOf(code), layout: { start_position: codes().length + 1 } }, noon)
  assert.deepEqual(codes(), ['A', 'B'])
  assert.equal(lastOrders()[0]?.order.layout.start_position, 3)
})

test('an order of thousands of products is not kept; nor are those of older pages', () => {
  keepOrder(orderOf('A'), noon)
  keepOrder(orderOf('x'.repeat(100_000)), noon)
  assert.deepEqual(codes(), ['A'])
  const older = { at: 'x', order: { products: [], symbology: 'best', sheet: 'L7160' } }
  stored.set('barcodesvc.last-labels', JSON.stringify([...lastOrders(), older]))
  assert.deepEqual(codes(), ['A'])
})

test('a refused code is explained by the rule that it breaks', () => {
  const why = (/** @type {any} */ details) => whyNotEncoded('EAN13', 'BOLT-8', details)
  assert.equal(why({ rule: 'alphabet', position: 1 }), 'EAN13 cannot hold the character “B” of BOLT-8.')
  assert.equal(why({ rule: 'length', position: 7 }), 'EAN13 needs a code of another length than BOLT-8.')
  assert.equal(
    why({ rule: 'check digit', position: 6, expected: '1' }),
    'The last digit of BOLT-8 is wrong for EAN13. It would have to be 1.',
  )
  for (const details of [{ rule: 'prefix', position: 1 }, { rule: 'alphabet', position: 9 }, {}])
    assert.equal(why(details), 'EAN13 cannot encode BOLT-8.')
})

test('labels that cannot be printed are explained one by one', () => {
  const of = (/** @type {any} */ problem) => whyNotPrintable('EAN13', { errors: [problem] })[0]
  const unfilled = { value: 'A', rule: 'placeholder', placeholder: '{attributes.price}' }
  for (const [problem, says] of [
    [{ field: 'products.0', value: 'A', rule: 'length' }, 'EAN13 needs a code of another length than A.'],
    [{ field: 'products.1', value: 'B', rule: 'font' }, 'The text of B contains a character that no font has.'],
    [unfilled, 'The product A has no detail “price”.'],
    [{ ...unfilled, placeholder: '{lot}' }, 'A has no value for {lot}.'],
    [{ field: 'layout', value: 'vk', rule: 'attribute', message: '' }, 'No product has a detail “vk”.'],
    [{ rule: 'unknown placeholder', placeholder: '{a b}' }, '{a b} is not something that the service can fill in.'],
    [{ field: 'layout.lines', rule: 'too many', message: 'too many' }, 'layout.lines: too many'],
  ])
    assert.equal(of(problem), says)
  const small = { rule: 'label size', product_codes: ['A', 'B'], label_width_mm: 25.4, label_height_mm: 10 }
  assert.deepEqual(whyNotPrintable('EAN13', small), [
    'Labels of 25.4 × 10 mm are too small for A. Please choose larger ones, less text, or a smaller image.',
  ])
  assert.deepEqual(whyNotPrintable('QR', { missing: ['C'] }), ['No product has the code C.'])
  assert.deepEqual(whyNotPrintable('QR', {}), [])
})
