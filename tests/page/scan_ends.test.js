import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

const { ScanEnds } = await import('../../barcodesvc/page/script/scanner/hearing.js')

test('a scan without an Enter is complete until a scan has ended with one', () => {
  const ends = new ScanEnds()
  assert.equal(ends.unended(), true)
  ends.ended()
  assert.equal(ends.isExpected, true)
  assert.equal(ends.unended(), false)
})

test('after three scans without an Enter it is another scanner, whose scans are complete', () => {
  const ends = new ScanEnds()
  ends.ended()
  assert.deepEqual([ends.unended(), ends.unended()], [false, false])
  ends.ended()
  assert.deepEqual([ends.unended(), ends.unended(), ends.unended(), ends.unended()], [false, false, true, true])
  assert.equal(ends.isExpected, false)
})
