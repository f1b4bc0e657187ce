import assert from 'node:assert/strict'
import { test } from 'node:test'

import { remind } from '../../barcodesvc/page/script/bookings/unsent.js'

/** A queue whose bookings wait in a storage. */
function waitingQueue() {
  const queue = /** @type {any} */ (Object.assign(new EventTarget(), { paused: false, count: 0 }))
  const storage = { waiting: () => Promise.resolve(queue.count) }
  /** @type {number[]} */
  const told = []
  /** @param {string} type */
  const fire = async (type) => {
    queue.dispatchEvent(new Event(type))
    await new Promise((resolve) => setImmediate(resolve))
  }
  remind(queue, storage, (count) => told.push(count))
  return { queue, storage, told, fire }
}

test('a page that opens takes back what an earlier one told', async () => {
  const { told, fire } = waitingQueue()
  await fire('change')
  assert.deepEqual(told, [0])
})

test('bookings that are sent at once are not told', async () => {
  const { queue, told, fire } = waitingQueue()
  queue.count = 3
  await fire('change')
  assert.deepEqual(told, [0])
})

test('the page says how many bookings cannot be sent, each number once', async () => {
  const { queue, told, fire } = waitingQueue()
  await fire('change')
  Object.assign(queue, { paused: true, count: 2 })
  await fire('pause')
  await fire('change')
  queue.count = 3
  await fire('elsewhere')
  queue.paused = false
  await fire('pause')
  assert.deepEqual(told, [0, 2, 3, 0])
})

test('of two overlapping looks at the storage, the last one counts', async () => {
  const { queue, storage, told, fire } = waitingQueue()
  await fire('change')
  /** @type {(count: number) => void} */
  let answer = () => {}
  storage.waiting = () => new Promise((resolve) => (answer = resolve))
  queue.paused = true
  await fire('pause')
  queue.paused = false
  await fire('pause')
  answer(1)
  await fire('change')
  assert.deepEqual(told, [0])
})

test('a storage that fails counts as empty', async () => {
  const { queue, storage, told, fire } = waitingQueue()
  storage.waiting = () => Promise.reject(new Error('gone'))
  queue.paused = true
  await fire('pause')
  assert.deepEqual(told, [0])
})
