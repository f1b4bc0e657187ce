import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import { firstFree, keepFirstFree, nextFree } from '../../barcodesvc/page/script/labels/sheets.js'

const measures = { page_size: 'A4', label_width: 60, label_height: 30, margin_left: 0, margin_top: 0 }
/** A sheet of 21 labels. */
const sheet = { sheet: 'L7160', labels_per_row: 3, labels_per_column: 7, pitch_x: 60, pitch_y: 30, ...measures }
const roll = { ...sheet, sheet: '50x30mm', labels_per_row: 1, labels_per_column: 1 }

/** @param {Record<string, string>} stored */
function store(stored) {
  const localStorage = {
    getItem: (/** @type {string} */ name) => stored[name] ?? null,
    setItem: (/** @type {string} */ name, /** @type {string} */ value) => void (stored[name] = value),
  }
  Object.defineProperty(globalThis, 'localStorage', { value: localStorage, configurable: true })
  return stored
}

test('the next free label follows the printed ones, over the ends of sheets', () => {
  assert.equal(nextFree(sheet, 1, 5), 6)
  assert.equal(nextFree(sheet, 6, 15), 21)
  assert.equal(nextFree(sheet, 6, 16), 1)
  assert.equal(nextFree(sheet, 21, 44), 2)
  assert.equal(nextFree(roll, 1, 7), 1)
})

test('each sheet has its own first free label', () => {
  store({})
  keepFirstFree(sheet, 6)
  assert.deepEqual([firstFree(sheet), firstFree(roll)], [6, 1])
  keepFirstFree({ ...sheet, sheet: '3474' }, 3)
  assert.equal(firstFree(sheet), 6)
})

test('a position that the sheet does not have is the first one', () => {
  for (const position of [0, 22, 1.5, '6', null]) {
    store({ 'barcodesvc.free-labels': JSON.stringify({ L7160: position }) })
    assert.equal(firstFree(sheet), 1, String(position))
  }
  store({ 'barcodesvc.free-labels': '{' })
  assert.equal(firstFree(sheet), 1)
})
