import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import { asText, groupsOf } from '../../barcodesvc/page/script/stock/buying.js'
import { queryOf } from '../../barcodesvc/page/script/stock/view.js'

/**
 * @param {string} code
 * @param {number} quantity
 * @param {string} [group]
 * @returns {any}
 */
function purchase(code, quantity, group) {
  return {
    product_code: code,
    description: `Part ${code}`,
    order_quantity: quantity,
    ...(group === undefined ? {} : { group }),
  }
}

test('purchases stay together by their groups, in the order of the service', () => {
  const groups = groupsOf([purchase('A', 1, 'Acme'), purchase('B', 2, 'Acme'), purchase('C', 3, '')])
  assert.deepEqual(
    groups.map(([group, members]) => [group, members.length]),
    [
      ['Acme', 2],
      ['', 1],
    ],
  )
})

test('the text to hand on has a line for each product, below the name of its group', () => {
  const purchases = [purchase('A', 1, 'Acme'), purchase('B', 2, '')]
  assert.equal(asText(purchases, String), 'Acme:\n1 × Part A (A)\n\n2 × Part B (B)')
  assert.equal(asText([purchase('A', 1)], String), '1 × Part A (A)')
})

test('movements without a day begin with today, also after midnight; any day is all of them', () => {
  const filter = { list: '', from: '', to: '', who: 'Ann', product: '' }
  const before = queryOf(filter, new Date(2026, 0, 31, 23, 59))
  const after = queryOf(filter, new Date(2026, 1, 1, 0, 1))
  assert.equal(before.from_date, new Date(2026, 0, 31).toISOString())
  assert.equal(after.from_date, new Date(2026, 1, 1).toISOString())
  assert.equal(after.updated_by, 'Ann')
  assert.equal(queryOf({ ...filter, from: 'any' }).from_date, undefined)
})
