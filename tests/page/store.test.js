import './pretended_document.js'
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { discarded, newBooking } from '../../barcodesvc/page/script/bookings/booking.js'
import { Queue } from '../../barcodesvc/page/script/bookings/queue.js'
import * as store from '../../barcodesvc/page/script/bookings/store.js'
import { effect } from '../../barcodesvc/page/script/ui.js'
import { Counter, notSent, Shelf } from './booked.js'

/** Shelves that list what is settled, too. */
class Storage extends Shelf {
  listed() {
    return Promise.resolve([...this.stored.values()].reverse())
  }
}

/** Return a queue that the store follows, and its service. */
async function followed() {
  const [storage, counter] = [new Storage(), new Counter()]
  const queue = new Queue(storage, counter, () => Promise.resolve())
  store.listed.value = []
  await store.follow(/** @type {any} */ ({ queue, storage }))
  /** @param {string} code @param {number} delta */
  const add = (code, delta = 1) => queue.add(newBooking({ code, delta, author: 'Ann' }, new Date(0)))
  return { queue, storage, counter, add }
}

test('the newest booking is first, and one that has not changed stays the same object', async () => {
  const { queue, add } = await followed()
  await add('A-1')
  await queue.send()
  const [first] = store.listed.value
  await add('A-2')
  await queue.send()
  assert.deepEqual(
    store.listed.value.map(({ code, state }) => [code, state]),
    [
      ['A-2', 'booked'],
      ['A-1', 'booked'],
    ],
  )
  assert.equal(store.listed.value[1], first)
})

test('of settled bookings the last fifty are listed, and all that wait or are refused', async () => {
  const { queue, add } = await followed()
  await add('unknown')
  for (let count = 0; count < 60; count += 1) await add('A-1')
  await queue.send()
  assert.equal(store.listed.value.length, 51)
  assert.equal(store.refused.value.length, 1)
  assert.equal(store.unsent.value, 0)
})

test('refused bookings are discarded together', async () => {
  const { queue, add } = await followed()
  for (const code of ['unknown', 'unknown', 'A-1']) await add(code)
  await queue.send()
  await queue.decide([1, 2, 3], discarded)
  assert.deepEqual(
    store.listed.value.map(({ state }) => state),
    ['booked', 'undone', 'undone'],
  )
})

test('while nothing can be sent, the store says why and how many, and the level has what waits, in pieces', async () => {
  const codes = new Map([
    ['A-1', 1],
    ['BOX', 6],
  ])
  const { queue, counter, add } = await followed()
  /** @type {(value?: unknown) => void} */
  let goOn = () => {}
  queue.pause = () => new Promise((resolve) => (goOn = () => resolve(undefined)))
  counter.faults = [notSent]
  await add('A-1', -2)
  await add('BOX', 1)
  while (!store.isPaused.value) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(store.unsent.value, 2)
  assert.equal(store.stuck.value, 2)
  assert.equal(store.levelWithUnsent(codes, 10), 14)
  goOn()
  await queue.send()
  assert.equal(store.isPaused.value, false)
  assert.equal(store.stuck.value, 0)
  assert.equal(store.levelWithUnsent(codes, 14), 14)
})

test('bookings that are sent at once are not told as stuck', async () => {
  const { queue, add } = await followed()
  /** @type {number[]} */
  const told = []
  const end = effect(() => void told.push(store.stuck.value))
  for (const code of ['A-1', 'A-1']) await add(code)
  await queue.send()
  end()
  assert.deepEqual(told, [0])
})

test('a storage that cannot be read lists nothing', async () => {
  const storage = Object.assign(new Storage(), { listed: () => Promise.reject(new Error('gone')) })
  store.listed.value = []
  await store.follow(
    /** @type {any} */ ({ queue: new Queue(storage, new Counter(), () => Promise.resolve()), storage }),
  )
  assert.deepEqual(store.listed.value, [])
})
