import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import { wantedBy } from '../../barcodesvc/page/script/kiosk/address.js'

const wanted = (/** @type {Record<string, string>} */ names) => wantedBy(new URLSearchParams(names))

test('an address can have a layout that is not saved', () => {
  const { layout, design, sheet } = wanted({ design: '{"lines":["Aisle 7"]}', sheet: 'L7160' })
  assert.deepEqual({ layout, design, sheet }, { layout: '', design: { lines: ['Aisle 7'] }, sheet: 'L7160' })
  assert.equal(wanted({ design: '{}' }).sheet, '')
})

test('a design that was cut off is an unknown layout', () => {
  for (const design of ['{"lines":["Ai', '[]', '7']) {
    const { layout, design: none } = wanted({ design })
    assert.deepEqual([layout, none], [design, null])
  }
})
