import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import { paperNumbers } from '../../barcodesvc/page/script/parts/kiosk_trouble.js'

const broken = {
  id: 7,
  printer: 'zebra',
  state: 'in_doubt',
  labels: 48,
  labels_sure: 10,
  labels_unsure: 5,
  created_at: '2026-01-31T12:00:00Z',
  resend_of: 6,
}

test('the labels of a rest go on with the numbers of the first job', () => {
  assert.deepEqual(paperNumbers({ ...broken, from_label: 13 }), { first: 13, last: 60, next: 23 })
  assert.deepEqual(paperNumbers(broken), { first: 1, last: 48, next: 11 })
})
