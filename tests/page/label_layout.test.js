import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import { loadFurtherTexts, speak } from '../../barcodesvc/page/script/language.js'
import {
  designed,
  DESIGNS,
  filledLines,
  layoutName,
  layoutOf,
  layoutOn,
  partsOf,
  placeholderName,
  placeholdersFor,
} from '../../barcodesvc/page/script/labels/layouts.js'

await speak('en')
await loadFurtherTexts()

/**
 * @param {import('../../barcodesvc/page/script/types.js').Layout} layout
 * @param {string} sheet
 * @param {string[] | null} lines
 */
const changed = (layout, sheet, lines = null) =>
  layoutOf({ saved: [{ name: 'shelf', layout }], name: 'shelf', lines, sheet }, sheet, [])

test('what the page has no field for stays as it was saved', () => {
  const kept = { image: { name: 'logo', width: 20 }, rotate: 90, font_size: 6 }
  const saved = { ...kept, sheet: 'L7160', lines: ['Aisle 6'] }
  assert.deepEqual(changed(saved, '50x30mm', ['Aisle 7']), { ...kept, lines: ['Aisle 7'], sheet: '50x30mm' })
})

test('the measures of a layout stay until a sheet replaces all of it', () => {
  const saved = { page_size: 'A4', label_width: 60, labels_per_row: 3, font_size: 6 }
  assert.deepEqual(changed(saved, ''), { ...saved, lines: [] })
  assert.deepEqual(changed(saved, 'L7160'), { font_size: 6, sheet: 'L7160', lines: [] })
})

test('fields of the product are lines, as far as a label has that many', () => {
  const saved = { include_description: true, include_unit: true, include_category: false, font_size: 6 }
  const lines = ['{description}', '{unit_of_measure}', 'Aisle 7']
  assert.deepEqual(changed({ ...saved, lines: ['Aisle 7'] }, ''), { font_size: 6, lines })
  const full = { ...saved, lines: ['1', '2', '3', '4'] }
  assert.deepEqual(changed(full, ''), full)
})

test('on a roll a layout for another page does not say where labels are', () => {
  const layout = { label_width: 60, offset_x: 1, offset_y: 2, scale: 0.98, rotate: 90 }
  const { label_width, ...corrected } = layout
  assert.deepEqual(layoutOn({ ...layout, sheet: 'L7160' }, '50x30mm'), { rotate: 90 })
  assert.deepEqual(layoutOn(layout, '50x30mm'), { rotate: 90 })
  assert.deepEqual(layoutOn({ ...layout, sheet: '50 X 30' }, '50x30mm'), corrected)
  assert.deepEqual(layoutOn({ ...layout, sheet: 'L7160' }, 'L7160'), corrected)
})

test('a line is sent with what is not usual in it, and not at all if it is empty', () => {
  const price = { text: '{attributes.price}', size: 24, bold: true }
  const styled = { text: ' Aisle 7 ', size: 0, bold: false, place: 'below' }
  const lines = [price, styled, ' ', { text: '', size: 12 }, { ...styled, place: 'above' }]
  assert.deepEqual(filledLines(lines), [price, 'Aisle 7', { text: 'Aisle 7', place: 'above' }])
})

test('a price tag has the price of the shop, whatever that is called', () => {
  const priced = (/** @type {string[]} */ ...attributes) => JSON.stringify(designed(':price-tag', attributes))
  assert.match(priced('size', 'vk_brutto'), /"\{attributes.vk_brutto\}","size":24/)
  assert.match(priced('unit_price'), /\{attributes.unit_price\}/)
  assert.match(priced('purchase_price', 'ek_preis', 'price'), /\{attributes.price\}/)
  assert.doesNotMatch(priced('size', 'ek_brutto'), /attributes/)
})

test('a typed text becomes a name that the service takes, and that no design has', () => {
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
  for (const name of DESIGNS) assert.notEqual(layoutName(name), name)
})

test('a line is texts and placeholders in turn, and nothing of it is lost', () => {
  for (const [line, parts] of /** @type {[string, string[]][]} */ ([
    ['', ['']],
    ['Aisle 7', ['Aisle 7']],
    ['{description}', ['', '{description}', '']],
    ['{date} {n:05}!', ['', '{date}', ' ', '{n:05}', '!']],
    ['{{date}} {', ['{{date}} {']],
    ['{{{n}}} { n }', ['{{', '{n}', '}} { n }']],
  ])) {
    assert.deepEqual(partsOf(line), parts)
    assert.equal(partsOf(line).join(''), line)
  }
})

test('a placeholder is called by what it stands for, whatever its format', () => {
  const names = ['{description}', '{n:05}', '{date:%d.%m.%Y}', '{date+7}', '{attributes.vk_brutto:money}', '{lot}']
  assert.deepEqual(names.map(placeholderName), ['Name', 'Label number', 'Date', 'Date in 7 days', 'vk_brutto', 'lot'])
})

test('the attributes of the products can be inserted, and dates as the language writes them', async () => {
  assert.ok(placeholdersFor(['price']).includes('{attributes.price}'))
  await speak('de')
  assert.ok(placeholdersFor([]).includes('{date+7:%d.%m.%Y}'))
  await speak('en')
})
