import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import { LIMITS } from '../../barcodesvc/page/script/api.js'
import { addedBy, selectionIn } from '../../barcodesvc/page/script/labels/items.js'

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

test('copies may be those of a list; a product that has none there is removed', () => {
  const selection = selectionIn(storage())
  selection.choose([pen, bolt, { id: 3, product_code: 'NUT', description: 'Nut' }])
  selection.setAll(
    new Map([
      [1, 7],
      [2, LIMITS.labels + 1],
    ]),
  )
  assert.deepEqual(copies(selection), { PEN: 7, BOLT: LIMITS.labels })
})

test('what was added is the sum of what came in and was not undone', () => {
  const moved = (/** @type {number} */ product_id, /** @type {number} */ by, more = {}) =>
    /** @type {any} */ ({ product_id, old_level: 10, new_level: 10 + by, undoes: null, undone_by: null, ...more })
  const movements = [moved(1, 6), moved(1, 2), moved(1, -3), moved(2, 5, { undone_by: 9 }), moved(2, 1, { undoes: 3 })]
  assert.deepEqual(addedBy(movements), new Map([[1, 8]]))
})
