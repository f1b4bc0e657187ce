import assert from 'node:assert/strict'
import { test } from 'node:test'

import { altDigit, characterOf } from '../../barcodesvc/page/script/scanner/keys.js'

const GS = '\u001d'

/** @param {string} key @param {Partial<KeyboardEvent>} [more] */
function pressed(key, more = {}) {
  const plain = { code: '', altKey: false, ctrlKey: false, metaKey: false, shiftKey: false }
  return { ...plain, key, ...more, getModifierState: () => false }
}

test('the group separator comes as Ctrl+], on any layout and after any key, and as F8', () => {
  assert.equal(characterOf(pressed(']', { code: 'BracketRight', ctrlKey: true }), false), GS)
  assert.equal(characterOf(pressed('+', { code: 'BracketRight', ctrlKey: true }), true, true), GS)
  assert.equal(characterOf(pressed('F8'), true), GS)
})

test('a digit of the number pad with Alt is part of the code of a character, with NumLock or without', () => {
  assert.equal(altDigit(pressed('4', { code: 'Numpad4', altKey: true })), '4')
  assert.equal(altDigit(pressed('ArrowLeft', { code: 'Numpad4', altKey: true })), '4')
  assert.equal(altDigit(pressed('4', { code: 'Numpad4' })), '')
  assert.equal(altDigit(pressed('4', { code: 'Digit4', altKey: true })), '')
})

test('a dead key is the key that an American scanner pressed', () => {
  assert.equal(characterOf(pressed('Dead', { code: 'Equal' }), true), '=')
  assert.equal(characterOf(pressed('Dead', { code: 'Equal', shiftKey: true }), true), '+')
  assert.equal(characterOf(pressed('Dead', { code: 'BracketLeft', shiftKey: true }), true), '{')
  assert.equal(characterOf(pressed('Dead', { code: 'KeyN', altKey: true }), true), null)
})

test('the accent of a dead key is not part of the next character, but an accent with its own key stays', () => {
  for (const [key, character] of Object.entries({ Á: 'A', '´1': '1', 1: '1', '´-': '-' }))
    assert.equal(characterOf(pressed(key), true, true), character)
  assert.equal(characterOf(pressed('Shift'), true, true), null)
  assert.equal(characterOf(pressed('é'), true), 'é')
})

test('with Ctrl or Alt a fast key is a scanner’s, any other one a person’s', () => {
  for (const [key, character] of Object.entries({ m: '\r', j: '\n', i: '\t', b: '\u0002' })) {
    assert.equal(characterOf(pressed(key, { ctrlKey: true }), true), character)
    assert.equal(characterOf(pressed(key, { ctrlKey: true }), false), null)
  }
  assert.equal(characterOf(pressed('@', { altKey: true }), true), '@')
  assert.equal(characterOf(pressed('1', { altKey: true }), false), null)
  assert.equal(characterOf(pressed('v', { metaKey: true }), true), null)
  assert.equal(characterOf(pressed('Enter'), false), '\r')
})
