import assert from 'node:assert/strict'
import { test } from 'node:test'

import { InTurn, latestOnly } from '../../barcodesvc/page/script/in_turn.js'

test('what begins later is done later, however long each takes', async () => {
  const turns = new InTurn()
  /** @type {string[]} */
  const done = []
  const slow = turns.take(() => new Promise((end) => setTimeout(end, 20)).then(() => done.push('slow')))
  const quick = turns.take(() => done.push('quick'))
  assert.equal(turns.isBusy, true)
  await Promise.all([slow, quick])
  assert.deepEqual([done, turns.isBusy], [['slow', 'quick'], false])
})

test('what fails says so, and stops nothing after it', async () => {
  const turns = new InTurn()
  let isDone = false
  const failed = turns.take(() => Promise.reject(new Error('lost')))
  const next = turns.take(() => (isDone = true))
  await assert.rejects(failed, /lost/)
  await next
  assert.deepEqual([isDone, turns.isBusy], [true, false])
})

test('only the last request may show its result', () => {
  const begin = latestOnly()
  const first = begin()
  assert.equal(first(), true)
  const second = begin()
  assert.deepEqual([first(), second()], [false, true])
})
