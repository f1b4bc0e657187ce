import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'

import { forgetKey, keyOf, markTaken } from '../../barcodesvc/page/script/printers/jobs.js'
import { pretendStorage } from './pretended_storage.js'

const stored = pretendStorage('sessionStorage')
beforeEach(() => stored.clear())

test('a request whose response is lost has the same key, even after the page is loaded again', () => {
  const key = keyOf('labels', 0)
  assert.equal(keyOf('labels', 600_000), key)
})

test('a second press has the same key, and a later one another', () => {
  const key = keyOf('labels', 0)
  markTaken(key, 100)
  assert.equal(keyOf('labels', 2000), key)
  markTaken(key, 2050)
  assert.notEqual(keyOf('labels', 2100), key)
})

test('after a job was cancelled the same labels are another job', () => {
  const key = keyOf('labels', 0)
  markTaken(key, 100)
  forgetKey()
  assert.notEqual(keyOf('labels', 200), key)
})

test('a request without a response is forgotten after an hour', () => {
  const key = keyOf('labels', 0)
  assert.notEqual(keyOf('labels', 3_600_000), key)
})

test('other labels have another key', () => {
  assert.notEqual(keyOf('others', 0), keyOf('labels', 0))
})
