import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Refusal } from '../../barcodesvc/page/script/api.js'
import { newBooking } from '../../barcodesvc/page/script/bookings/booking.js'
import { Queue } from '../../barcodesvc/page/script/bookings/queue.js'
import { Counter, notSent, responseLost, retry, Shelf, undo } from './booked.js'

/** @param {string} code */
function made(code, delta = 1) {
  return newBooking({ code, delta, author: 'Ann' }, new Date(0))
}

/**
 * @param {Shelf} shelf
 * @param {any} service
 */
function queueOf(shelf, service) {
  return new Queue(shelf, service, () => Promise.resolve())
}

/**
 * @param {((respond: () => any) => any) | null} fault
 * @param {number} times
 */
function often(fault, times) {
  return Array.from({ length: times }, () => fault)
}

test('each booking counts once, whatever the network loses', async () => {
  const faults = [notSent, responseLost, null, responseLost, responseLost, notSent, null, responseLost]
  const [shelf, service] = [new Shelf(), new Counter(faults)]
  const queue = queueOf(shelf, service)
  for (let number = 0; number < 30; number += 1) await queue.add(made('A-1'))
  await queue.send()
  assert.equal(service.level, 30)
  assert.ok([...shelf.stored.values()].every(({ state }) => state === 'booked'))
})

test('what was stored before a crash is sent after it, and counts once', async () => {
  const shelf = new Shelf()
  const service = new Counter([responseLost, ...often(() => new Promise(() => {}), 1)])
  const before = queueOf(shelf, service)
  await before.add(made('A-1'))
  await before.add(made('A-1'))
  const after = queueOf(shelf, new Counter())
  after.service = service
  service.faults = []
  await after.send()
  assert.equal(service.level, 2)
})

test('two tabs that send the same bookings count them once', async () => {
  const [shelf, service] = [new Shelf(), new Counter()]
  for (let number = 0; number < 10; number += 1) await shelf.add(made('A-1'))
  await Promise.all([queueOf(shelf, service).send(), queueOf(shelf, service).send()])
  assert.equal(service.level, 10)
})

test('batches hold at most 500, in the order of scanning', async () => {
  const [shelf, service] = [new Shelf(), new Counter()]
  for (let number = 0; number < 1200; number += 1) await shelf.add(made('A-1'))
  await queueOf(shelf, service).send()
  assert.deepEqual(service.sizes, [500, 500, 200])
  assert.deepEqual([...shelf.stored.values()].map(({ result }) => result?.newLevel).slice(0, 3), [1, 2, 3])
})

test('a booking that is added while the last one is settled is sent too', async () => {
  const [shelf, service] = [new Shelf(), new Counter()]
  const queue = queueOf(shelf, service)
  for (let number = 0; number < 50; number += 1) {
    void queue.add(made('A-1'))
    for (let turn = 0; turn < number; turn += 1) await null
  }
  while (shelf.stored.size < 50 || queue.sending) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(service.level, 50)
})

test('a booking answered before its storage is reported stays booked, and is undone by the service', async () => {
  const [shelf, service] = [new Shelf(), new Counter()]
  const add = shelf.add.bind(shelf)
  const queue = queueOf(shelf, service)
  shelf.add = async (booked) => {
    const stored = await add(booked)
    await queue.send()
    return stored
  }
  /** @type {string[]} */
  const states = []
  queue.addEventListener('change', (event) => states.push(/** @type {CustomEvent} */ (event).detail[0].state))
  const { id } = await queue.add(made('A-1'))
  assert.deepEqual(states, ['booked'])
  await undo(queue, id)
  await queue.send()
  assert.equal(service.level, 0)
})

test('a booking that was never sent is taken back without the service', async () => {
  const [shelf, service] = [new Shelf(), new Counter(often(notSent, 3))]
  /** @type {() => void} */
  let goOn = () => {}
  const queue = new Queue(shelf, service, () => new Promise((resolve) => (goOn = () => resolve(undefined))))
  await queue.add(made('A-1'))
  while (!queue.paused) await null
  const { id } = await queue.add(made('A-1'))
  await undo(queue, id)
  service.faults = []
  goOn()
  await queue.send()
  assert.equal(shelf.of(id).state, 'undone')
  assert.equal(service.level, 1)
})

test('a booking that may have been sent is undone once it is booked, and once', async () => {
  const [shelf, service] = [new Shelf(), new Counter([responseLost, null, responseLost, responseLost])]
  const { id } = await shelf.add(made('A-1', 5))
  const queue = queueOf(shelf, service)
  const sent = queue.send()
  await undo(queue, id)
  await sent
  await queue.send()
  assert.equal(shelf.of(id).state, 'undone')
  assert.equal(service.level, 0)
})

test('a booking taken back while it is being sent is undone', async () => {
  for (let turns = 0; turns < 40; turns += 1) {
    const [shelf, service] = [new Shelf(), new Counter()]
    const queue = queueOf(shelf, service)
    const { id } = await queue.add(made('A-1', 5))
    for (let turn = 0; turn < turns; turn += 1) await null
    await undo(queue, id)
    await queue.send()
    assert.equal(shelf.of(id).state, 'undone', `after ${turns} turns`)
    assert.equal(service.level, 0, `after ${turns} turns`)
  }
})

test('a booking that was already undone elsewhere is undone', async () => {
  const [shelf, service] = [new Shelf(), new Counter()]
  const queue = queueOf(shelf, service)
  const { id } = await queue.add(made('A-1'))
  await queue.send()
  service.faults = [
    () => {
      throw new Refusal(409, {
        code: 'VALIDATION_ERROR',
        message: 'undone already',
        details: { reason: 'already_undone', undone_by: 7 },
      })
    },
  ]
  await undo(queue, id)
  await queue.send()
  assert.equal(shelf.of(id).state, 'undone')
})

test('a refused undo leaves the booking, with the reason', async () => {
  const [shelf, service] = [new Shelf(), new Counter()]
  const queue = queueOf(shelf, service)
  const { id } = await queue.add(made('A-1'))
  await queue.send()
  service.changes.clear()
  await undo(queue, id)
  await queue.send()
  assert.equal(shelf.of(id).state, 'booked')
  assert.equal(shelf.of(id).problem?.message, 'there is no such change')
})

test('a refused booking waits for a decision, and does not block others', async () => {
  const [shelf, service] = [new Shelf(), new Counter()]
  const queue = queueOf(shelf, service)
  const { id } = await queue.add(made('unknown'))
  await queue.add(made('A-1'))
  await queue.send()
  assert.equal(shelf.of(id).state, 'refused')
  assert.equal(service.level, 1)
  service.one = (scan) => Counter.prototype.one.call(service, { ...scan, code_data: 'A-1' })
  await retry(queue, [id])
  await queue.send()
  assert.equal(shelf.of(id).state, 'booked')
  assert.equal(service.level, 2)
})

test('a refused booking can be discarded', async () => {
  const [shelf, service] = [new Shelf(), new Counter()]
  const queue = queueOf(shelf, service)
  const { id } = await queue.add(made('unknown'))
  await queue.send()
  await undo(queue, id)
  assert.equal(shelf.of(id).state, 'undone')
})

test('a booking that no request can carry is refused alone', async () => {
  const [shelf, service] = [new Shelf(), new Counter()]
  const book = service.book.bind(service)
  service.book = (scans) =>
    scans.some(({ code_data }) => code_data === 'monster')
      ? Promise.reject(new Refusal(400, { code: 'FILE_TOO_LARGE', message: 'too long' }))
      : book(scans)
  for (const code of ['A-1', 'A-1', 'monster', 'A-1', 'A-1']) await shelf.add(made(code))
  await queueOf(shelf, service).send()
  assert.equal(service.level, 4)
  assert.equal(shelf.of(3).state, 'refused')
})

test('temporary failures refuse nothing', async () => {
  const passing = [
    new Refusal(429, { code: 'RATE_LIMIT_EXCEEDED' }, 60),
    new Refusal(503, { code: 'DATABASE_ERROR' }, 1),
    new Refusal(500, { code: 'SOMETHING_ELSE' }),
    new Refusal(401, { code: 'VALIDATION_ERROR' }),
    new TypeError('a bug'),
  ]
  const faults = passing.map((error) => () => {
    throw error
  })
  const answered = [
    () => 'a page of another server',
    () => [],
    (/** @type {() => any} */ respond) => respond().map(() => ({ error: true, code: 'DATABASE_ERROR' })),
  ]
  const [shelf, service] = [new Shelf(), new Counter([...faults, ...answered])]
  /** @type {number[]} */
  const pauses = []
  const queue = new Queue(shelf, service, (milliseconds) => Promise.resolve(void pauses.push(milliseconds)))
  await queue.add(made('A-1'))
  await queue.send()
  assert.equal(shelf.of(1).state, 'booked')
  assert.equal(service.level, 1)
  assert.deepEqual(pauses.slice(0, 3), [60_000, 1000, 2000])
})

test('the queue reports when it pauses, and when it goes on', async () => {
  const [shelf, service] = [new Shelf(), new Counter(often(notSent, 3))]
  const queue = queueOf(shelf, service)
  /** @type {boolean[]} */
  const told = []
  queue.addEventListener('pause', () => told.push(queue.paused))
  await queue.add(made('A-1'))
  await queue.send()
  assert.deepEqual(told, [true, false])
})

test('a queue with nothing left to send no longer reports that it cannot', async () => {
  const [shelf, service] = [new Shelf(), new Counter(often(notSent, 1))]
  /** @type {() => void} */
  let goOn = () => {}
  const queue = new Queue(shelf, service, () => new Promise((resolve) => (goOn = () => resolve(undefined))))
  const { id } = await queue.add(made('A-1'))
  while (!queue.paused) await null
  await shelf.update([id], (undone) => ({ ...undone, state: 'undone' }))
  goOn()
  await queue.send()
  assert.equal(queue.paused, false)
})
