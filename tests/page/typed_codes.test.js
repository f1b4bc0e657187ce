import assert from 'node:assert/strict'
import { test } from 'node:test'

import { watchCodes } from '../../barcodesvc/page/script/scanner/typed_codes.js'

/** A field into which keys are typed with `gap` milliseconds between them, and which has the watched `codes`. */
class Field {
  time = 0
  /** @type {(event: object) => void} */
  note = () => undefined

  /** @param {string} [value] */
  constructor(value = '') {
    this.value = value
    const addEventListener = (/** @type {string} */ _, /** @type {any} */ note) => (this.note = note)
    this.codes = watchCodes(/** @type {any} */ (Object.assign(this, { addEventListener })))
  }

  /** Type a text after a pause. @param {string} text @param {number} [gap] @param {string} [inputType] @param {number} [pause] */
  type(text, gap = 70, inputType = 'insertText', pause = 1000) {
    this.time += pause
    for (const data of text) {
      this.value += data
      this.note({ data, inputType, timeStamp: (this.time += gap) })
    }
    return this
  }

  /** @param {string} value */
  become(value) {
    this.value = value
    return this
  }
}

test('a code that was typed in one go is asked about, also after other text', () => {
  for (const code of ['HB-1010', '4006381333931', 'A-1', 'HUB/056'])
    assert.equal(new Field().type(code).codes.ask(), code)
  assert.equal(new Field().type('Blue pen ').type('HB-1010', 80).codes.ask(), 'HB-1010')
  assert.equal(new Field('Blue pen').type('HB-1010', 80).codes.ask(), 'HB-1010')
})

test('words, and a number that a person types with pauses, are not asked about', () => {
  for (const text of ['Blue pen', 'Screw M8x40 zinc', 'M8', 'Stift'])
    assert.equal(new Field().type(text).codes.ask(), '')
  assert.equal(new Field().type('HB-1010', 400).codes.ask(), '')
  assert.equal(new Field().type('Screw ').type('M8x4', 120).codes.ask(), '')
  assert.equal(new Field().type('HB-1010', 70, 'insertFromPaste').codes.ask(), '')
})

test('a slow code is asked about before and after a fast scan, whose first keys the page takes back', () => {
  const fast = (/** @type {Field} */ field) => {
    const { value } = field
    field
      .type('A-1', 5, 'insertText', 200)
      .become(value)
      .note({ timeStamp: (field.time += 100) })
    return field
  }
  assert.equal(fast(new Field()).codes.ask(), '')
  assert.equal(fast(new Field()).type('HB-1010', 70, 'insertText', 200).codes.ask(), 'HB-1010')
  assert.equal(fast(new Field().type('HB-1010')).codes.ask(), 'HB-1010')
})

test('a text is asked about once, and again when it has changed', () => {
  const field = new Field().type('HB-1010')
  assert.deepEqual([field.codes.ask(), field.codes.ask()], ['HB-1010', ''])
  assert.equal(field.type(' ').codes.ask(), 'HB-1010')
  assert.equal(field.become('Blue pen').codes.ask(), '')
})
