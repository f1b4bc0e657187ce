import assert from 'node:assert/strict'
import { test } from 'node:test'

import { TypedCodes } from '../../barcodesvc/page/script/scanner/typed_codes.js'

/**
 * Return what is asked about after texts were typed into a field, with this many milliseconds between two keys, and a
 * second between two texts.
 *
 * @param {string[]} texts
 * @param {number} gap
 * @param {string} [before] what the field held
 */
function asked(texts, gap, before = '') {
  const codes = new TypedCodes(before)
  let [value, time] = [before, 0]
  for (const text of texts) {
    time += 1000
    for (const key of text) codes.note({ value: (value += key), time: (time += gap), isTyped: true })
  }
  return codes.ask()
}

test('a code that was typed in one go is asked about', () => {
  for (const code of ['HB-1010', '4006381333931', 'A-1', 'HUB/056']) assert.equal(asked([code], 70), code)
})

test('a code that a slow scanner adds to a text is asked about', () => {
  assert.equal(asked(['Blue pen ', 'HB-1010'], 80), 'HB-1010')
  assert.equal(asked(['HB-1010'], 80, 'Blue pen'), 'HB-1010')
})

test('words, and a number that a person types with pauses, are not asked about', () => {
  for (const text of ['Blue pen', 'Screw M8x40 zinc', 'M8', 'Stift']) assert.equal(asked([text], 70), '')
  assert.equal(asked(['HB-1010'], 400), '')
  assert.equal(asked(['Screw ', 'M8x4'], 120), '')
})

test('a text is asked about once, and again when it has changed', () => {
  const codes = new TypedCodes('')
  codes.note({ value: 'HB-1010', time: 0, isTyped: true })
  assert.equal(codes.ask(), 'HB-1010')
  assert.equal(codes.ask(), '')
  codes.note({ value: 'HB-1010 ', time: 900, isTyped: true })
  assert.equal(codes.ask(), 'HB-1010')
  codes.note({ value: 'Blue pen', time: 1800, isTyped: true })
  assert.equal(codes.ask(), '')
})

test('a pasted text is what a person means', () => {
  const codes = new TypedCodes('')
  codes.note({ value: 'HB-1010', time: 0, isTyped: false })
  assert.equal(codes.ask(), '')
})
