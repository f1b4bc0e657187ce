import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'

import { PrintKeys } from '../../barcodesvc/page/script/printers/print_keys.js'
import { pretendStorage } from './pretended_storage.js'

const stored = pretendStorage('sessionStorage')
beforeEach(() => stored.clear())

let made = 0
const newKeys = () => new PrintKeys(() => `key ${++made}`)

test('a request whose response is lost has the same key, even after the page is loaded again', () => {
  const key = newKeys().of('labels', 0)
  assert.equal(newKeys().of('labels', 600_000), key)
})

test('a second press has the same key, and a later one another', () => {
  const keys = newKeys()
  const key = keys.of('labels', 0)
  keys.taken(key, 100)
  assert.equal(keys.of('labels', 2000), key)
  keys.taken(key, 2050)
  assert.notEqual(keys.of('labels', 2100), key)
})

test('after a job was cancelled the same labels are another job', () => {
  const keys = newKeys()
  const key = keys.of('labels', 0)
  keys.taken(key, 100)
  keys.forget()
  assert.notEqual(keys.of('labels', 200), key)
})

test('a request without a response is forgotten after an hour', () => {
  const key = newKeys().of('labels', 0)
  assert.notEqual(newKeys().of('labels', 3_600_000), key)
})

test('other labels have another key', () => {
  const keys = newKeys()
  assert.notEqual(keys.of('others', 0), keys.of('labels', 0))
})
