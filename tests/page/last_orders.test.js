import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'

import { forgetOrders, keepOrder, lastOrders } from '../../barcodesvc/page/script/labels/orders.js'
import { pretendStorage } from './pretended_storage.js'

const stored = pretendStorage('localStorage')
beforeEach(() => stored.clear())

/**
 * @param {string} code
 * @param {number} [first]
 */
function order(code, first = 1) {
  return { products: [{ code, copies: 2 }], symbology: 'best', sheet: 'L7160', first }
}

const noon = new Date('2026-01-31T12:00:00Z')
const codes = () => lastOrders().map(({ order: { products } }) => products[0]?.code)

test('the last five orders are kept, the newest first', () => {
  for (const code of 'ABCDEF') keepOrder(order(code), noon)
  assert.deepEqual(codes(), ['F', 'E', 'D', 'C', 'B'])
  assert.equal(lastOrders()[0]?.at, '2026-01-31T12:00:00.000Z')
})

test('the same labels from another position on are kept once', () => {
  for (const code of 'ABA') keepOrder(order(code, codes().length + 1), noon)
  assert.deepEqual(codes(), ['A', 'B'])
  assert.equal(lastOrders()[0]?.order.first, 3)
})

test('an order of thousands of products is not kept, and replaces none', () => {
  keepOrder(order('A'), noon)
  keepOrder(order('x'.repeat(100_000)), noon)
  assert.deepEqual(codes(), ['A'])
})

test('what is damaged is left out, and log-out forgets all', () => {
  keepOrder(order('A'), noon)
  stored.set('barcodesvc.last-labels', JSON.stringify([...lastOrders(), null, { at: 'x' }, { order: {} }]))
  assert.deepEqual(codes(), ['A'])
  stored.set('barcodesvc.last-labels', '{')
  assert.deepEqual(codes(), [])
  keepOrder(order('A'), noon)
  forgetOrders()
  assert.deepEqual(codes(), [])
})
