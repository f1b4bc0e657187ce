import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import {
  changedLayout,
  designed,
  DESIGNS,
  filledLines,
  inLines,
  isSame,
  layoutName,
  layoutOn,
  lineOf,
  sheetOf,
} from '../../barcodesvc/page/script/labels/layouts.js'

const PRICE = { text: '{attributes.price}', size: 24, bold: true }
const IMAGE = { name: 'logo', width: 20 }

test('what the page has no field for stays as it was saved', () => {
  const saved = { sheet: 'L7160', image: IMAGE, rotate: 90, include_unit: true }
  const kept = { image: IMAGE, rotate: 90, include_unit: true }
  assert.deepEqual(changedLayout(saved, '50x30mm', ['Aisle 7']), { ...kept, lines: ['Aisle 7'], sheet: '50x30mm' })
})

test('the measures of a layout stay until a sheet replaces all of it', () => {
  const saved = { page_size: 'A4', label_width: 60, labels_per_row: 3, font_size: 6 }
  assert.equal(sheetOf(saved), '')
  assert.deepEqual(changedLayout(saved, '', []), { ...saved, lines: [] })
  assert.deepEqual(changedLayout(saved, 'L7160', []), { font_size: 6, sheet: 'L7160', lines: [] })
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
  assert.deepEqual(lineOf({ text: 'Aisle 7', place: 'above' }), { text: 'Aisle 7', place: 'above' })
  assert.ok(isSame({ lines: [{ text: 'Aisle 7', bold: false }] }, { lines: ['Aisle 7'] }))
  assert.deepEqual(filledLines([' Aisle 7 ', ' ', { text: '', size: 12 }]), ['Aisle 7'])
})

test('fields of the product are lines, as far as a label has that many', () => {
  const saved = { include_description: true, include_unit: true, include_category: false, font_size: 6 }
  const lines = ['{description}', '{unit_of_measure}', 'Aisle 7']
  assert.deepEqual(inLines({ ...saved, lines: ['Aisle 7'] }), { font_size: 6, lines })
  assert.ok(isSame({ ...saved, lines: ['Aisle 7'] }, { font_size: 6, lines }))
  const full = { ...saved, lines: ['1', '2', '3', '4'] }
  assert.deepEqual(inLines(full), full)
})

test('a price tag has the price of the shop, whatever that is called', () => {
  const priced = (/** @type {string[]} */ ...attributes) => JSON.stringify(designed(':price-tag', attributes))
  assert.match(priced('size', 'vk_brutto'), /"\{attributes.vk_brutto\}","size":24/)
  assert.match(priced('unit_price'), /\{attributes.unit_price\}/)
  assert.match(priced('purchase_price', 'ek_preis', 'price'), /\{attributes.price\}/)
  assert.doesNotMatch(priced('size', 'ek_brutto'), /attributes/)
})

test('a design says nothing of the sheet, and has a name that no layout can have', () => {
  for (const name of DESIGNS) {
    assert.equal(sheetOf(designed(name, [])), '')
    assert.notEqual(layoutName(name), name)
  }
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
