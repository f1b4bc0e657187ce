import assert from 'node:assert/strict'
import { test } from 'node:test'

import { lacksSeparator, reportOf, withKey } from '../../barcodesvc/page/script/scanner/scan_report.js'

const GS = '\u001d'

/**
 * @param {string} character
 * @param {number} time
 * @param {{key?: string, code?: string, shiftKey?: boolean, capsLock?: boolean, digits?: string}} [more]
 */
function pressed(
  character,
  time,
  { key = character, code = '', shiftKey = false, capsLock = false, digits = '' } = {},
) {
  const event = { key, code, shiftKey, timeStamp: time, getModifierState: () => capsLock }
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

/** @param {ReturnType<typeof reportOf>} report */
function adviceOf(report) {
  return report?.advice.map(({ key }) => key)
}

test('a scanner that is set up correctly needs no change', () => {
  const report = reportOf(keysOf(']E04006381333931'), 1, false)
  assert.deepEqual(report, {
    characters: [...']E04006381333931'],
    prefix: ']E0',
    suffix: ['Enter'],
    mean: 5,
    slowest: 5,
    advice: [],
  })
})

test('control characters are shown by name, also those of the prefix', () => {
  const report = reportOf(keysOf(`\u0002]C101${GS}\r A\t`), 1, false)
  assert.deepEqual(report?.characters, ['STX', ']', 'C', '1', '0', '1', 'GS', 'CR', ' ', 'A', 'TAB'])
  assert.equal(report?.prefix, 'STX]C1')
})

test('each key that ends a scan is shown, however it was typed', () => {
  assert.deepEqual(reportOf(keysOf('A-1', ['Tab']), 1, false)?.suffix, ['Tab'])
  assert.deepEqual(reportOf(keysOf('A-1', ['m', 'j']), 1, false)?.suffix, ['Enter', 'LF'])
  const alt = (/** @type {string} */ digits) => [...keysOf('A-1', []), pressed('', 20, { key: 'Alt', digits })]
  assert.deepEqual(
    ['013', '010', '009'].map((digits) => reportOf(alt(digits), 1, false)?.suffix[0]),
    ['Enter', 'LF', 'Tab'],
  )
})

test('a code without a suffix is advised to have one', () => {
  assert.deepEqual(adviceOf(reportOf(keysOf('4006381333931', []), 1, false)), ['suffix'])
})

test('fewer than three characters are no scan', () => {
  assert.deepEqual(adviceOf(reportOf(keysOf('A1'), 0, false)), ['short'])
})

test('a slow scanner is advised to use the setting, or to become faster if that does not help', () => {
  assert.deepEqual(adviceOf(reportOf(keysOf('A-1', ['Enter'], 49), 1, false)), [])
  assert.deepEqual(adviceOf(reportOf(keysOf('A-1', ['Enter'], 50), 0, false)), ['slow'])
  assert.deepEqual(adviceOf(reportOf(keysOf('A-1', ['Enter'], 149), 1, true)), [])
  assert.deepEqual(adviceOf(reportOf(keysOf('A-1', ['Enter'], 150), 0, true)), ['slower'])
  assert.deepEqual(adviceOf(reportOf(keysOf('A-1', ['Enter'], 150), 0, false)), ['slower'])
})

test('an Enter that comes late matters only if the scan was not heard', () => {
  const keys = [...keysOf('400638', []), pressed('', 100, { key: 'Enter' })]
  assert.deepEqual(adviceOf(reportOf(keys, 1, false)), [])
  assert.deepEqual(adviceOf(reportOf(keys, 0, false)), ['slow'])
})

test('the speed is that of the characters', () => {
  const report = reportOf([pressed('A', 0), pressed('-', 10), pressed('1', 40)], 1, false)
  assert.deepEqual([report?.mean, report?.slowest], [20, 30])
})

test('Caps Lock swaps letters, unless they are typed by their codes', () => {
  const keys = (/** @type {object} */ more) => [
    ...['a', '-', '1'].map((character, index) => pressed(character, index * 5, { capsLock: true, ...more })),
    pressed('', 15, { key: 'Enter' }),
  ]
  assert.deepEqual(adviceOf(reportOf(keys({}), 1, false)), ['caps'])
  assert.deepEqual(adviceOf(reportOf(keys({ digits: '097' }), 1, false)), [])
})

test('the text of an American keyboard is named if the layout of the device makes another one', () => {
  const keys = [
    pressed('z', 0, { code: 'KeyY' }),
    pressed('Y', 5, { code: 'KeyZ', shiftKey: true }),
    pressed('ß', 10, { code: 'Minus' }),
    pressed('1', 15, { code: 'Digit1' }),
    pressed('', 20, { key: 'Enter' }),
  ]
  assert.deepEqual(reportOf(keys, 1, false)?.advice, [{ key: 'layout', values: { american: 'yZ-1' } }])
})

test('a key that types nothing is named', () => {
  const keys = [...keysOf('10AB', []), { ...pressed('', 20, { key: 'F9' }), character: null }, ...keysOf('21C')]
  assert.deepEqual(reportOf(keys, 1, false)?.advice, [{ key: 'key', values: { key: 'F9' } }])
})

test('keys that type nothing have no report', () => {
  assert.equal(reportOf(keysOf(''), 0, false), null)
})

test('a missing separator is suspected only where one more element may follow', () => {
  assert.equal(lacksSeparator(']C1010400638133393110LOT721SER1'), true)
  assert.equal(lacksSeparator('010400638133393117271231' + '10AB2115'), true)
  assert.equal(lacksSeparator(`010400638133393110LOT7${GS}21SER1`), false)
  assert.equal(lacksSeparator(']C1010400638133393110LOT7'), false)
  assert.equal(lacksSeparator('0104006381333931' + '17271231'), false)
  assert.equal(lacksSeparator('4006381333931'), false)
  assert.equal(lacksSeparator('BOLT-M8x40 21'), false)
})

test('a key after an end or a pause begins another scan, and a second end does not', () => {
  const scan = keysOf('A-1', ['Enter'])
  const later = pressed('', 25, { key: 'Enter' })
  assert.equal(withKey(scan, later).length, 5)
  assert.equal(withKey(scan, pressed('B', 20)).length, 1)
  assert.equal(withKey(keysOf('A-1', []), pressed('B', 610)).length, 4)
  assert.equal(withKey(keysOf('A-1', []), pressed('B', 611)).length, 1)
})
