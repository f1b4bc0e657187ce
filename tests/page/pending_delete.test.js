import assert from 'node:assert/strict'
import { test } from 'node:test'

import { DELAY, PendingDelete } from '../../barcodesvc/page/script/products/pending_delete.js'

/** Return a deletion, its clock, and what was sent. */
function pretended() {
  /** @type {string[][]} */
  const sent = []
  /** @type {Map<number, {action: () => void, at: number}>} */
  const timers = new Map()
  let [now, last] = [0, 0]
  const timer = {
    set: (/** @type {() => void} */ action, /** @type {number} */ delay) => {
      timers.set(++last, { action, at: now + delay })
      return last
    },
    clear: (/** @type {number} */ id) => timers.delete(id),
  }
  const wait = (/** @type {number} */ time) => {
    now += time
    for (const [id, { action, at }] of timers) if (at <= now && timers.delete(id)) action()
  }
  /** @type {PendingDelete<string>} */
  const pending = new PendingDelete((items) => sent.push(items), timer)
  return { pending, wait, sent }
}

test('a deletion is sent after the delay, once', () => {
  const { pending, wait, sent } = pretended()
  pending.begin(['A', 'B'])
  wait(DELAY - 1)
  assert.deepEqual(sent, [])
  assert.deepEqual(pending.items, ['A', 'B'])
  wait(1)
  wait(DELAY)
  assert.deepEqual(sent, [['A', 'B']])
  assert.deepEqual(pending.items, [])
})

test('a deletion that is taken back is never sent', () => {
  const { pending, wait, sent } = pretended()
  pending.begin(['A'])
  assert.deepEqual(pending.cancel(), ['A'])
  wait(2 * DELAY)
  assert.deepEqual(sent, [])
})

test('a second deletion joins the first, and both wait again', () => {
  const { pending, wait, sent } = pretended()
  pending.begin(['A'])
  wait(DELAY - 1)
  pending.begin(['B'])
  wait(DELAY - 1)
  assert.deepEqual(sent, [])
  wait(1)
  assert.deepEqual(sent, [['A', 'B']])
})
