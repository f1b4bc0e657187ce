import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import {
  changedLayout,
  isSame,
  layoutName,
  layoutOn,
  lineOf,
  sheetOf,
} from '../../barcodesvc/page/script/labels/layout.js'

const PRICE = { text: '{attributes.price}', size: 24, bold: true }
const IMAGE = { name: 'logo', width: 20 }

test('what the page has no field for stays as it was saved', () => {
  const saved = { sheet: 'L7160', image: IMAGE, rotate: 90, include_unit: true }
  const text = { include_unit: false, lines: ['Aisle 7'] }
  assert.deepEqual(changedLayout(saved, '50x30mm', text), { image: IMAGE, rotate: 90, ...text, sheet: '50x30mm' })
})

test('the measures of a layout stay until a sheet replaces all of it', () => {
  const saved = { page_size: 'A4', label_width: 60, labels_per_row: 3, font_size: 6 }
  assert.equal(sheetOf(saved), '')
  assert.deepEqual(changedLayout(saved, '', { lines: [] }), { ...saved, lines: [] })
  assert.deepEqual(changedLayout(saved, 'L7160', {}), { font_size: 6, sheet: 'L7160' })
})

test('on a roll a layout for another page does not say where labels are', () => {
  const layout = { label_width: 60, offset_x: 1, offset_y: 2, scale: 0.98, rotate: 90 }
  const { label_width, ...corrected } = layout
  assert.deepEqual(layoutOn({ ...layout, sheet: 'L7160' }, '50x30mm'), { rotate: 90 })
  assert.deepEqual(layoutOn(layout, '50x30mm'), { rotate: 90 })
  assert.deepEqual(layoutOn({ ...layout, sheet: '50 X 30' }, '50x30mm'), corrected)
  assert.deepEqual(layoutOn({ ...layout, sheet: 'L7160' }, 'L7160'), corrected)
})

test('a field that says what is usual changes nothing', () => {
  const whole = { include_description: true, include_category: false, include_unit: false, lines: [] }
  assert.ok(isSame({ sheet: 'l-7160', include_description: true }, { ...whole, sheet: 'L7160' }))
  assert.ok(!isSame({ sheet: 'L7160' }, { ...whole, sheet: 'L7160' }))
  assert.ok(!isSame({ sheet: 'L7160', lines: [PRICE] }, { sheet: 'L7160', lines: [PRICE.text] }))
})

test('a line is sent with what is not usual in it', () => {
  assert.deepEqual(lineOf(PRICE), PRICE)
  assert.deepEqual(lineOf({ text: 'Aisle 7', size: 24, bold: false }), { text: 'Aisle 7', size: 24 })
  assert.deepEqual(lineOf({ text: 'Aisle 7', size: 0, bold: true }), { text: 'Aisle 7', bold: true })
  assert.equal(lineOf({ text: 'Aisle 7', size: 0, bold: false }), 'Aisle 7')
  assert.ok(isSame({ lines: [{ text: 'Aisle 7', bold: false }] }, { lines: ['Aisle 7'] }))
})

test('a typed text becomes a name that the service takes', () => {
  for (const [typed, name] of [
    ['shelf', 'shelf'],
    [' Regal groß (50 × 30) ', 'Regal-gross-50-30'],
    ['Étiquette_1.2', 'Etiquette_1.2'],
    ['../x', 'x'],
    ['日本', ''],
    ['..', ''],
    ['a'.repeat(63) + ' b', 'a'.repeat(63)],
  ])
    assert.equal(layoutName(String(typed)), name)
})
