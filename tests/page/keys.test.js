import assert from 'node:assert/strict'
import { test } from 'node:test'

import { altCharacter, altDigit, characterOf, ends } from '../../barcodesvc/page/script/scanner/keys.js'

const GS = '\u001d'

/**
 * @param {string} key
 * @param {Partial<KeyboardEvent>} [more]
 */
function pressed(key, more = {}) {
  const plain = { code: '', altKey: false, ctrlKey: false, metaKey: false, shiftKey: false }
  return { ...plain, key, ...more, getModifierState: () => false }
}

test('the group separator comes as Ctrl+], on any layout, and as F8', () => {
  assert.equal(characterOf(pressed(']', { code: 'BracketRight', ctrlKey: true }), true), GS)
  assert.equal(characterOf(pressed('+', { code: 'BracketRight', ctrlKey: true }), true), GS)
  assert.equal(characterOf(pressed('F8'), true), GS)
  assert.equal(characterOf(pressed('F8', { ctrlKey: true }), true), null)
})

test('a digit of the number pad with Alt is part of the code of a character, with NumLock or without', () => {
  assert.equal(altDigit(pressed('4', { code: 'Numpad4', altKey: true })), '4')
  assert.equal(altDigit(pressed('ArrowLeft', { code: 'Numpad4', altKey: true })), '4')
  assert.equal(altDigit(pressed('4', { code: 'Numpad4' })), null)
  assert.equal(altDigit(pressed('4', { code: 'Digit4', altKey: true })), null)
})

test('the digits with Alt are the code of a character of Windows', () => {
  assert.equal(altCharacter('065'), 'A')
  assert.equal(altCharacter('0065'), 'A')
  assert.equal(altCharacter('029'), GS)
  assert.equal(altCharacter('0228'), 'ä')
})

test('an Enter, a line feed and a Tab that are typed with Alt are not characters', () => {
  assert.deepEqual(['013', '010', '0009'].map(altCharacter), ['', '', ''])
})

test('a dead key is the key that an American scanner pressed', () => {
  assert.equal(characterOf(pressed('Dead', { code: 'Equal' }), true), '=')
  assert.equal(characterOf(pressed('Dead', { code: 'Equal', shiftKey: true }), true), '+')
  assert.equal(characterOf(pressed('Dead', { code: 'BracketLeft', shiftKey: true }), true), '{')
  assert.equal(characterOf(pressed('Dead', { code: 'KeyN', altKey: true }), true), null)
})

test('the accent of a dead key is not part of the next character', () => {
  assert.equal(characterOf(pressed('Á'), true, true), 'A')
  assert.equal(characterOf(pressed('´1'), true, true), '1')
  assert.equal(characterOf(pressed('1'), true, true), '1')
  assert.equal(characterOf(pressed('´-'), true, true), '-')
  assert.equal(characterOf(pressed('Shift'), true, true), null)
})

test('a group separator after a dead key is unchanged', () => {
  assert.equal(characterOf(pressed('+', { code: 'BracketRight', ctrlKey: true }), true, true), GS)
})

test('an accent with its own key stays', () => {
  assert.equal(characterOf(pressed('é'), true), 'é')
})

test('Ctrl with M, J and I ends a scan, and nothing else', () => {
  const control = pressed('m', { ctrlKey: true })
  assert.equal(ends(control, true), true)
  assert.equal(ends(control, false), false)
  assert.equal(ends(pressed('Enter'), false), true)
})
