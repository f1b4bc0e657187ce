import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import { loadFurtherTexts, speak } from '../../barcodesvc/page/script/language.js'
import {
  firstFree,
  giveBack,
  keepFirstFree,
  labelSize,
  labelsOf,
  roll,
  sheetNamed,
  sheetsByPaper,
  stepped,
  takePlace,
  usualSheets,
} from '../../barcodesvc/page/script/labels/sheets.js'

import { pretendStorage } from './pretended_storage.js'

const stored = pretendStorage('localStorage')

await speak('en')
await loadFurtherTexts()

const L7160 = {
  sheet: 'L7160',
  page_size: 'A4',
  labels_per_row: 3,
  labels_per_column: 7,
  label_width: 63.5,
  label_height: 38.1,
  margin_left: 7.2,
  margin_top: 15.15,
  pitch_x: 66.04,
  pitch_y: 38.1,
}

test('labels follow each other along the row, at the pitch of the sheet', () => {
  const labels = labelsOf(L7160)
  assert.equal(labels.length, 21)
  assert.deepEqual(labels[0], { position: 1, x: 7.2, y: 15.15, width: 63.5, height: 38.1 })
  assert.deepEqual(labels[4], { position: 5, x: 7.2 + 66.04, y: 15.15 + 38.1, width: 63.5, height: 38.1 })
})

test('every label is on the page', () => {
  for (const { x, y, width, height } of labelsOf(L7160)) assert.ok(x + width <= 210 && y + height <= 297)
})

test('arrow keys lead along rows and columns, and never off the sheet', () => {
  assert.equal(stepped(L7160, 5, 'ArrowRight'), 6)
  assert.equal(stepped(L7160, 5, 'ArrowDown'), 8)
  assert.equal(stepped(L7160, 2, 'ArrowUp'), 2)
  assert.equal(stepped(L7160, 21, 'ArrowRight'), 21)
  assert.equal(stepped(L7160, 5, 'Home'), 1)
  assert.equal(stepped(L7160, 5, 'End'), 21)
  assert.equal(stepped(L7160, 5, 'Enter'), null)
})

test('a roll is a sheet of one label, however its size is written', () => {
  for (const size of ['62.5x29mm', '62,5 × 29', ' 62.5 X 29 MM ']) assert.equal(roll(size)?.sheet, '62.5x29mm')
  assert.equal(roll('62.5x29')?.label_height, 29)
})

test('an invalid size, or one that no roll has, is rejected', () => {
  for (const size of ['', '50', '50x', 'x30', '4x30mm', '50x1201', '50x30cm', '1e3x30']) assert.equal(roll(size), null)
})

test('a sheet is found by its name however it is written', () => {
  for (const name of ['L7160', 'l7160', ' L-7160']) assert.equal(sheetNamed([L7160], name), L7160)
  assert.equal(sheetNamed([L7160], 'L716'), null)
  assert.equal(sheetNamed([L7160], '50x30mm')?.labels_per_row, 1)
})

test('the usual sheets are those of the paper of the region', () => {
  for (const language of ['en-US', 'es-MX', 'fr-CA', 'en']) assert.equal(usualSheets(language)[0], '5160')
  for (const language of ['en-GB', 'de', 'fr-FR', 'es', 'pt-BR']) assert.equal(usualSheets(language)[0], 'L7160')
})

test('a browser whose language is no tag has the sheets of its region, too', () => {
  assert.equal(usualSheets('en-US@posix')[0], '5160')
  assert.equal(usualSheets('de-DE@euro')[0], 'L7160')
  for (const language of ['', 'C', 'x-klingon']) assert.equal(usualSheets(language).length, 5)
})

test('sheets are in groups by their paper, the usual ones of the region first', () => {
  const known = [
    ['5160', 'Letter'],
    ['L7159', 'A4'],
    ['L7160', 'A4'],
  ].map(([sheet = '', page_size = '']) => ({ ...L7160, sheet, page_size }))
  const groups = (/** @type {string} */ language) =>
    sheetsByPaper(known, language).map(([paper, sheets]) => [paper, ...sheets.map(({ sheet }) => sheet)])
  assert.deepEqual(groups('de'), [
    ['A4', 'L7160', 'L7159'],
    ['Letter', '5160'],
  ])
  assert.deepEqual(groups('en-US'), [
    ['Letter', '5160'],
    ['A4', 'L7160', 'L7159'],
  ])
})

test('labels on American paper are measured in inches, as on their packages', () => {
  const size = (/** @type {number} */ label_width, /** @type {number} */ label_height) =>
    labelSize({ ...L7160, page_size: 'Letter', label_width, label_height })
  assert.equal(labelSize(L7160), '21 of 63.5 × 38.1 mm')
  assert.equal(size(66.68, 25.4), '21 of 2⅝ × 1 in')
  assert.equal(size(101.6, 84.67), '21 of 4 × 3⅓ in')
  assert.equal(size(44.45, 12.7), '21 of 1¾ × ½ in')
  assert.equal(size(30, 20), '21 of 1.18 × 0.79 in')
})

test('the next free label follows the printed ones, over the ends of sheets', () => {
  for (const [first, count, next] of /** @type {[number, number, number][]} */ ([
    [1, 5, 6],
    [6, 15, 21],
    [6, 16, 1],
    [21, 44, 2],
  ])) {
    takePlace({ sheet: L7160, first, count })
    assert.equal(firstFree(L7160), next)
  }
})

test('labels that a print has not used are free again, unless another print has begun behind it', () => {
  const [one, another] = [
    { sheet: L7160, first: 6, count: 5 },
    { sheet: L7160, first: 11, count: 2 },
  ]
  takePlace(one)
  giveBack(one, 2)
  assert.equal(firstFree(L7160), 8)
  for (const place of [one, another]) takePlace(place)
  giveBack(one)
  assert.equal(firstFree(L7160), 13)
})

test('each sheet has its own first free label', () => {
  keepFirstFree(L7160, 6)
  keepFirstFree({ ...L7160, sheet: '3474' }, 3)
  assert.equal(firstFree(L7160), 6)
  for (const position of [0, 22, 1.5, '6', null]) {
    stored.set('barcodesvc.free-labels', JSON.stringify({ L7160: position }))
    assert.equal(firstFree(L7160), 1, String(position))
  }
})
