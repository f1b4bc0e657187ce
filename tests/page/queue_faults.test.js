import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Refusal } from '../../barcodesvc/page/script/api.js'
import { newBooking } from '../../barcodesvc/page/script/bookings/booking.js'
import { Queue } from '../../barcodesvc/page/script/bookings/queue.js'
import { Counter, notSent, retry, Shelf } from './booked.js'

const BOOKINGS = 100

function foreign() {
  throw new Refusal(403, { code: 'FORBIDDEN', message: 'this page is a foreign one' })
}

/**
 * @param {Shelf} shelf
 * @param {string[]} codes
 */
async function fill(shelf, codes) {
  for (const code of codes) await shelf.add(newBooking({ code, delta: 1, author: 'Ann' }, new Date(0)))
}

/** @param {Shelf} shelf */
function states(shelf) {
  return [...new Set([...shelf.stored.values()].map(({ state }) => state))]
}

test('a fault of every request refuses no booking, however many wait', async () => {
  for (const count of [BOOKINGS, 1]) {
    const [shelf, service] = [new Shelf(), new Counter(Array.from({ length: 20 }, () => foreign))]
    await fill(shelf, Array(count).fill('A-1'))
    let [pauses, waiting] = [0, true]
    const queue = new Queue(shelf, service, () => {
      waiting &&= states(shelf).join() === 'waiting'
      return Promise.resolve(void (pauses += 1))
    })
    await queue.send()
    assert.equal(waiting, true)
    assert.equal(pauses, 10)
    assert.deepEqual(states(shelf), ['booked'])
    assert.equal(service.level, count)
  }
})

test('the reason for refusing all bookings is reported while they wait, and so is its end', async () => {
  const [shelf, service] = [new Shelf(), new Counter([notSent, foreign, foreign])]
  await fill(shelf, ['A-1'])
  const queue = new Queue(shelf, service, () => Promise.resolve())
  /** @type {unknown[]} */
  const told = []
  queue.addEventListener('pause', () => told.push([queue.paused, queue.obstacle?.message ?? '']))
  await queue.send()
  assert.deepEqual(told, [
    [true, 'no network'],
    [true, 'this page is a foreign one'],
    [false, ''],
  ])
})

test('several bookings that no request can carry are refused, and do not block others', async () => {
  const [shelf, service] = [new Shelf(), new Counter()]
  const book = service.book.bind(service)
  service.book = (scans) =>
    scans.some(({ code_data }) => code_data === 'monster')
      ? Promise.reject(new Refusal(400, { code: 'FILE_TOO_LARGE', message: 'too long' }))
      : book(scans)
  await fill(shelf, ['monster', 'A-1', 'monster'])
  await new Queue(shelf, service, () => Promise.resolve()).send()
  assert.deepEqual(
    [...shelf.stored.values()].map(({ state }) => state),
    ['refused', 'booked', 'refused'],
  )
})

test('bookings answered before a fault within a batch are settled', async () => {
  const [shelf, service] = [new Shelf(), new Counter()]
  const book = service.book.bind(service)
  service.book = (scans) => {
    if (scans.length > 2) throw new Refusal(400, { code: 'FILE_TOO_LARGE', message: 'too long' })
    return scans.some(({ code_data }) => code_data === 'B-1') ? Promise.resolve().then(notSent) : book(scans)
  }
  await fill(shelf, ['A-1', 'A-1', 'B-1', 'B-1'])
  const queue = new Queue(shelf, service, () => new Promise(() => {}))
  void queue.send()
  while (!queue.paused) await null
  assert.deepEqual(
    [...shelf.stored.values()].map(({ state }) => state),
    ['booked', 'booked', 'waiting', 'waiting'],
  )
})

test('all refused bookings are sent again at once', async () => {
  const [shelf, service] = [new Shelf(), new Counter()]
  await fill(shelf, ['unknown', 'unknown', 'A-1'])
  const queue = new Queue(shelf, service, () => Promise.resolve())
  await queue.send()
  service.one = (scan) => Counter.prototype.one.call(service, { ...scan, code_data: 'A-1' })
  await retry(queue, [1, 2])
  await queue.send()
  assert.deepEqual(states(shelf), ['booked'])
  assert.equal(service.level, 3)
})
