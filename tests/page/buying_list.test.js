import assert from 'node:assert/strict'
import { test } from 'node:test'

import { asCsv, asText, purchasesOf } from '../../barcodesvc/page/script/stock/buying_list.js'

/**
 * @param {number} product_id
 * @param {number} current_level
 * @param {number} minimum_level
 * @param {number} maximum_level
 */
function level(product_id, current_level, minimum_level, maximum_level) {
  const product = { product_id, product_code: `P-${product_id}`, description: `Part ${product_id}` }
  return { ...product, current_level, minimum_level, maximum_level }
}

test('a product is bought up to its maximum, otherwise up to its minimum, and once', () => {
  const levels = [level(2, 0, 5, 0), level(1, 3, 5, 50), level(2, 0, 5, 0), level(3, 5, 5, 0), level(4, 0, 0, 0)]
  assert.deepEqual(
    purchasesOf(levels).map(({ product_id, amount }) => [product_id, amount]),
    [
      [1, 47],
      [2, 5],
    ],
  )
})

test('the list is a text with a line for each product', () => {
  assert.equal(
    asText(purchasesOf([level(1, 3, 5, 50), level(2, 0, 5, 0)]), String),
    '47 × Part 1 (P-1)\n5 × Part 2 (P-2)',
  )
})

test('cells of CSV are quoted where they must be, and never formulas', () => {
  const odd = { ...level(1, 0, 2, 0), product_code: '=1+1', description: 'Bolt "M8", zinc;-2' }
  const [head, row] = asCsv(purchasesOf([odd]), ['Code', 'Name', 'Stock', 'Buy']).split('\r\n')
  assert.equal(head, '\ufeffCode,Name,Stock,Buy')
  assert.equal(row, `'=1+1,"Bolt ""M8"", zinc;'-2",0,2`)
})
