import assert from 'node:assert/strict'
import { test } from 'node:test'

import { reportOf, withKey } from '../../barcodesvc/page/script/scanner/scanner_test.js'

const GS = '\u001d'

/**
 * @param {string} character
 * @param {number} time
 * @param {{key?: string, digits?: string}} [more]
 */
function pressed(character, time, { key = character, digits = '' } = {}) {
  const event = { key, timeStamp: time }
  return { event, character, digits }
}

/**
 * Return the keys of a text, with `gap` milliseconds between two of them, and those that end it.
 *
 * @param {string} text
 * @param {string[]} [ends]
 * @param {number} [gap]
 */
function keysOf(text, ends = ['Enter'], gap = 5) {
  const typed = [...text].map((character, index) => pressed(character, index * gap))
  return [...typed, ...ends.map((key, index) => pressed('', (typed.length + index) * gap, { key }))]
}

test('a report has the characters, what is around them, and the speed', () => {
  const report = reportOf(keysOf(']E04006381333931'))
  assert.deepEqual(report, {
    characters: [...']E04006381333931'],
    prefix: ']E0',
    suffix: ['Enter'],
    mean: 5,
    slowest: 5,
  })
})

test('control characters are shown by name, also those of the prefix', () => {
  const report = reportOf(keysOf(`\u0002]C101${GS}\r A\t`))
  assert.deepEqual(report?.characters, ['STX', ']', 'C', '1', '0', '1', 'GS', 'CR', ' ', 'A', 'TAB'])
  assert.equal(report?.prefix, 'STX]C1')
})

test('each key that ends a scan is shown, however it was typed', () => {
  assert.deepEqual(reportOf(keysOf('A-1', ['Tab']))?.suffix, ['Tab'])
  assert.deepEqual(reportOf(keysOf('A-1', ['m', 'j']))?.suffix, ['Enter', 'LF'])
  const alt = (/** @type {string} */ digits) => [...keysOf('A-1', []), pressed('', 20, { key: 'Alt', digits })]
  assert.deepEqual(
    ['013', '010', '009'].map((digits) => reportOf(alt(digits))?.suffix[0]),
    ['Enter', 'LF', 'Tab'],
  )
})

test('the speed is that of the characters', () => {
  const report = reportOf([pressed('A', 0), pressed('-', 10), pressed('1', 40)])
  assert.deepEqual([report?.mean, report?.slowest], [20, 30])
})

test('keys that type nothing have no report', () => {
  assert.equal(reportOf(keysOf('')), null)
})

test('a key after an end or a pause begins another scan, and a second end does not', () => {
  const scan = keysOf('A-1', ['Enter'])
  const later = pressed('', 25, { key: 'Enter' })
  assert.equal(withKey(scan, later).length, 5)
  assert.equal(withKey(scan, pressed('B', 20)).length, 1)
  assert.equal(withKey(keysOf('A-1', []), pressed('B', 610)).length, 4)
  assert.equal(withKey(keysOf('A-1', []), pressed('B', 611)).length, 1)
})
