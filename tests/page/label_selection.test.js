import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import { LIMITS } from '../../barcodesvc/page/script/api.js'
import { selectionIn } from '../../barcodesvc/page/script/labels/items.js'

/** @param {unknown} [kept] */
function storage(kept = null) {
  let value = JSON.stringify(kept)
  return { read: () => JSON.parse(value), store: (/** @type {unknown} */ now) => void (value = JSON.stringify(now)) }
}

const pen = { id: 1, product_code: 'PEN', description: 'Blue pen' }
const bolt = { id: 2, product_code: 'BOLT', description: 'Bolt', current_level: 3, attributes: { price: '1.20' } }

/** @param {ReturnType<typeof selectionIn>} selection */
const copies = (selection) =>
  Object.fromEntries(selection.items.map((item) => [item.product.product_code, item.copies]))

test('a product that is added again gets one more label', () => {
  const selection = selectionIn(storage())
  for (const product of [pen, bolt, pen]) selection.add(product)
  assert.deepEqual(copies(selection), { PEN: 2, BOLT: 1 })
  assert.equal(selection.count, 3)
})

test('copies stay between one and the maximum of a document', () => {
  const selection = selectionIn(storage())
  selection.add(pen)
  for (const [wanted, set] of [
    [0, 1],
    [LIMITS.labels + 1, LIMITS.labels],
  ]) {
    selection.setCopies(/** @type {any} */ (selection.items[0]), Number(wanted))
    assert.equal(selection.count, set)
  }
})

test('the selection is there when the page is loaded again', () => {
  const kept = storage()
  const selection = selectionIn(kept)
  selection.add(pen)
  selection.add(bolt)
  selection.remove(/** @type {any} */ (selection.items[0]))
  assert.deepEqual(copies(selectionIn(kept)), { BOLT: 1 })
  assert.deepEqual(selectionIn(kept).items[0]?.product, {
    id: 2,
    product_code: 'BOLT',
    description: 'Bolt',
    attributes: ['price'],
  })
})

test('products of an address are added to a selection, and replace one that has been printed', () => {
  const kept = storage()
  const selection = selectionIn(kept)
  selection.add(pen)
  selection.add(pen)
  selection.choose([pen, bolt, bolt])
  assert.deepEqual(copies(selection), { PEN: 2, BOLT: 1 })
  selection.markPrinted(true)
  const again = selectionIn(kept)
  again.choose([bolt])
  assert.deepEqual(copies(again), { BOLT: 1 })
})

test('the first product after a print begins a new selection, and the next ones are added to that', () => {
  const selection = selectionIn(storage())
  for (const product of [pen, pen, bolt]) selection.add(product)
  selection.markPrinted(true)
  assert.equal(selection.isPrinted, true)
  selection.add(pen)
  selection.choose([bolt])
  assert.deepEqual(copies(selection), { PEN: 1, BOLT: 1 })
  assert.equal(selection.isPrinted, false)
})

test('other copies after a print are for the same products', () => {
  const selection = selectionIn(storage())
  selection.add(pen)
  selection.markPrinted(true)
  selection.setCopies(/** @type {any} */ (selection.items[0]), 3)
  selection.add(bolt)
  assert.deepEqual(copies(selection), { PEN: 3, BOLT: 1 })
})

test('a print that is taken back leaves the selection to be printed', () => {
  const selection = selectionIn(storage())
  selection.add(pen)
  selection.markPrinted(true)
  selection.markPrinted(false)
  selection.choose([bolt])
  assert.deepEqual(copies(selection), { PEN: 1, BOLT: 1 })
})
