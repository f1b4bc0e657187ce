import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

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
