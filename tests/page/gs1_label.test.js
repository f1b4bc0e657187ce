import assert from 'node:assert/strict'
import { test } from 'node:test'

import { asOnLabel } from '../../barcodesvc/page/script/camera/photo.js'

test('the elements come in the order of the label, which that of an object is not', () => {
  const elements = { '01': '09506000134352', 10: 'LOT7', 21: '5' }
  assert.equal(asOnLabel(']C10109506000134352215\u001d10LOT7', elements), '(01)09506000134352(21)5(10)LOT7')
  assert.equal(asOnLabel('010950600013435210LOT7', elements), '(01)09506000134352(10)LOT7')
})

test('a text that has anything else is shown as it is', () => {
  assert.equal(asOnLabel('4006381333931', {}), '4006381333931')
  assert.equal(asOnLabel(']C10109506000134352?', { '01': '09506000134352' }), ']C10109506000134352?')
  assert.equal(asOnLabel('(01)09506000134352', { '01': '09506000134352' }), '(01)09506000134352')
  assert.equal(asOnLabel(']C1', {}), ']C1')
})

test('a value that ends early is not taken for another one', () => {
  assert.equal(asOnLabel(']C110AB', { 10: 'A' }), ']C110AB')
})
