import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import { Refusal } from '../../barcodesvc/page/script/api.js'
import { lacksCodes } from '../../barcodesvc/page/script/import/panel.js'
import { presetMap } from '../../barcodesvc/page/script/import/sending.js'

const columns = { SKU: 'product_code', Name: 'description' }

test('a column is an attribute if products have one of its name, or if it is a price in any language', () => {
  assert.deepEqual(presetMap({ columns, ignored: ['Regal Nr.', 'Colour'] }, ['regal_nr']), {
    ...columns,
    'Regal Nr.': 'attributes.regal_nr',
  })
  for (const header of ['Price', 'PREIS (€)', 'Prix', 'precio'])
    assert.deepEqual(presetMap({ columns, ignored: [header] }, []), { ...columns, [header]: 'attributes.price' })
})

test('the attribute that products have is meant before the price', () => {
  assert.deepEqual(presetMap({ columns, ignored: ['Preis'] }, ['preis']), { ...columns, Preis: 'attributes.preis' })
})

test('no field comes from two columns', () => {
  const known = { ...columns, 'attr:price': 'attributes.price' }
  assert.equal(presetMap({ columns: known, ignored: ['Price'] }, []), null)
  assert.deepEqual(presetMap({ columns, ignored: ['Price', 'Prix'] }, []), { ...columns, Price: 'attributes.price' })
})

test('other columns stay unread', () => {
  assert.equal(presetMap({ columns, ignored: ['Notes', ''] }, ['shelf']), null)
})

test('codes may be made where rows or columns of them are missing, and only there', () => {
  const row = (/** @type {string} */ column, /** @type {string} */ rule) =>
    /** @type {any} */ ({ errors: [{ problems: [{ column, rule }] }] })
  assert.ok(lacksCodes(row('product_code', 'required'), null))
  assert.ok(!lacksCodes(row('product_code', 'length'), null) && !lacksCodes(row('description', 'required'), null))
  const refusal = (/** @type {object} */ details) => new Refusal(400, { details })
  assert.ok(lacksCodes(undefined, refusal({ rule: 'header row' })))
  assert.ok(lacksCodes(undefined, refusal({ errors: [{ rule: 'needed', fits: 'product_code' }] })))
  assert.ok(!lacksCodes(undefined, refusal({ errors: [{ rule: 'needed', fits: 'description' }] })))
})
