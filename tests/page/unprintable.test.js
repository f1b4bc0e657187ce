import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import { speak, loadFurtherTexts } from '../../barcodesvc/page/script/language.js'
import { whyNotEncoded, whyNotPrintable } from '../../barcodesvc/page/script/labels/orders.js'

await speak('en')
await loadFurtherTexts()

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

test('labels that cannot be printed are explained one by one, up to a number', () => {
  const errors = [
    { field: 'products.0', value: 'A', rule: 'length', message: 'in the words of the service' },
    { field: 'products.1', value: 'B', rule: 'font', message: 'in the words of the service' },
    { field: 'layout.lines', rule: 'too many', message: 'too many' },
  ]
  assert.deepEqual(whyNotPrintable('EAN13', { errors }, 5), [
    'EAN13 needs a code of another length than A.',
    'The text of B contains a character that no font has.',
    'layout.lines: too many',
  ])
  assert.equal(whyNotPrintable('EAN13', { errors }, 1).length, 1)
  const small = { rule: 'label size', product_codes: ['A', 'B'], label_width_mm: 25.4, label_height_mm: 10 }
  assert.deepEqual(whyNotPrintable('EAN13', small, 5), [
    'Labels of 25.4 × 10 mm are too small for A. Please choose larger ones, less text, or a smaller image.',
  ])
  assert.deepEqual(whyNotPrintable('QR', { missing: ['C'] }, 5), ['No product has the code C.'])
  assert.deepEqual(whyNotPrintable('QR', {}, 5), [])
})

test('what cannot be filled in is named', () => {
  const why = (/** @type {any} */ problem) => whyNotPrintable('QR', { errors: [problem] }, 5)[0]
  const unfilled = { value: 'A', rule: 'placeholder', placeholder: '{attributes.price}' }
  assert.equal(why(unfilled), 'The product A has no detail “price”.')
  assert.equal(why({ ...unfilled, placeholder: '{lot}' }), 'A has no value for {lot}.')
  const misspelt = { field: 'layout', value: 'vk', rule: 'attribute', message: "no product has the attribute 'vk'" }
  assert.equal(why(misspelt), 'No product has a detail “vk”.')
  const unknown = { field: 'layout.lines.1', rule: 'unknown placeholder', placeholder: '{a b}' }
  assert.equal(why(unknown), '{a b} is not something that the service can fill in.')
  assert.equal(why({ field: 'lines', message: 'too many' }), 'lines: too many')
})
