import assert from 'node:assert/strict'
import { test } from 'node:test'

import { reportOf, withKey } from '../../barcodesvc/page/script/scanner/scanner_test.js'

/** Return the keys of a text with 5 ms between two of them. @param {string} text */
const keysOf = (text) => [...text].map((character, index) => ({ character, time: index * 5 }))

test('a report has the characters, control characters by name, how the scan ends, and the speed', () => {
  assert.deepEqual(reportOf(keysOf('\u0002]C101\u001d A\r\n')), {
    characters: ['STX', ']', 'C', '1', '0', '1', 'GS', ' ', 'A'],
    suffix: ['Enter', 'LF'],
    mean: 5,
    slowest: 5,
  })
  const { mean, slowest, suffix } = reportOf([
    { character: 'A', time: 0 },
    { character: '-', time: 10 },
    { character: '1', time: 40 },
    { character: '\t', time: 300 },
  ])
  assert.deepEqual([mean, slowest, suffix], [20, 30, ['Tab']])
})

test('a key after an end or a pause begins another scan, and a second end does not', () => {
  assert.equal(withKey(keysOf('A-1\r'), { character: '\n', time: 20 }).length, 5)
  assert.equal(withKey(keysOf('A-1\r'), { character: 'B', time: 20 }).length, 1)
  assert.equal(withKey(keysOf('A-1'), { character: 'B', time: 610 }).length, 4)
  assert.equal(withKey(keysOf('A-1'), { character: 'B', time: 611 }).length, 1)
})
