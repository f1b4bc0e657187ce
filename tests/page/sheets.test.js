import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import {
  labelsOf,
  pageOf,
  roll,
  sheetNamed,
  sheetsFor,
  stateOf,
  stepped,
  usualSheets,
} from '../../barcodesvc/page/script/labels/sheets.js'

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
  const [width, height] = pageOf(L7160)
  for (const { x, y, width: across, height: down } of labelsOf(L7160)) {
    assert.ok(x + across <= width && y + down <= height)
  }
})

test('labels before the first free one are used up, those after the last one stay free', () => {
  assert.deepEqual(
    [1, 4, 5, 7, 8].map((position) => stateOf(position, 5, 3)),
    ['used', 'used', 'printed', 'printed', 'free'],
  )
})

test('labels without room on the first sheet use further sheets', () => {
  assert.equal(sheetsFor(L7160, 1, 0), 0)
  assert.equal(sheetsFor(L7160, 1, 21), 1)
  assert.equal(sheetsFor(L7160, 2, 21), 2)
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
  assert.deepEqual(pageOf(/** @type {any} */ (roll('62.5x29'))), [62.5, 29])
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
