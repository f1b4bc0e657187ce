import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import {
  attributeChanges,
  attributeName,
  attributesIn,
  shownAttributes,
  wrongRow,
} from '../../barcodesvc/page/script/products/attributes.js'

test('a typed name becomes one that the service accepts', () => {
  /** @type {Record<string, string>} */
  const names = {
    price: 'price',
    'Attr: Price': 'price',
    'Preis (€)': 'preis',
    Größe: 'grosse',
    'Code à barres': 'code_a_barres',
    ' shelf  no. 2 ': 'shelf_no_2',
    価格: '',
    '': '',
    ['x'.repeat(40)]: 'x'.repeat(32),
  }
  for (const [typed, name] of Object.entries(names)) assert.equal(attributeName(typed), name, typed)
})

test('only what differs from the stored attributes is sent', () => {
  const known = { price: '1', shelf: 'B 4', brand: 'x' }
  const rows = [
    { name: 'price', value: ' 2 ' },
    { name: 'shelf', value: 'B 4' },
    { name: 'Colour', value: 'red' },
    { name: 'empty', value: ' ' },
  ]
  assert.deepEqual(attributeChanges(known, rows), { price: '2', colour: 'red', brand: null })
  assert.deepEqual(attributeChanges({}, []), {})
})

test('an attribute whose text is emptied is removed, and a renamed one moves', () => {
  assert.deepEqual(attributeChanges({ price: '1' }, [{ name: 'price', value: '' }]), { price: null })
  assert.deepEqual(attributeChanges({ price: '1' }, [{ name: 'cost', value: '1' }]), { price: null, cost: '1' })
})

test('the first row that cannot be stored is named', () => {
  const good = { name: 'price', value: '1' }
  assert.equal(wrongRow([good, { name: '', value: '' }]), null)
  assert.deepEqual(wrongRow([good, { name: '?', value: '1' }]), { index: 1, problem: 'name' })
  assert.deepEqual(wrongRow([good, { name: 'PRICE', value: '1' }]), { index: 1, problem: 'repeated' })
})

test('the columns are the two most usual attributes until a person chooses others, or none', () => {
  const products = [{ size: 'M' }, { size: 'L', price: '1' }, { price: '2', colour: 'red', size: 'S' }]
  const names = attributesIn(products.map((attributes) => ({ attributes })))
  assert.deepEqual(names, ['size', 'price', 'colour'])
  assert.deepEqual(
    ['*', 'colour,shelf', ''].map((chosen) => shownAttributes(chosen, names)),
    [['size', 'price'], ['colour', 'shelf'], []],
  )
})
