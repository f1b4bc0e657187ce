import assert from 'node:assert/strict'
import { test } from 'node:test'

import { newBooking } from '../../barcodesvc/page/script/bookings/booking.js'
import { Queue } from '../../barcodesvc/page/script/bookings/queue.js'
import { Counter, notSent, responseLost, Shelf, undo } from './booked.js'

function made() {
  return newBooking({ code: 'A-1', delta: 1, author: 'Ann' }, new Date(0))
}

/**
 * @param {Shelf} shelf
 * @param {Counter} service
 */
function tab(shelf, service) {
  return new Queue(shelf, service, () => Promise.resolve())
}

test('an undo requested twice, whose response is lost, counts once', async () => {
  const [shelf, service] = [new Shelf(), new Counter()]
  const queue = tab(shelf, service)
  const { id } = await queue.add(made())
  await queue.send()
  service.faults = [responseLost]
  await undo(queue, id)
  await undo(queue, id)
  await queue.send()
  assert.equal(service.level, 0)
})

test('a booking that another tab sends while it is taken back here is undone', async () => {
  const [shelf, service] = [new Shelf(), new Counter()]
  const here = new Queue(shelf, new Counter([notSent]), () => new Promise(() => {}))
  await here.add(made())
  while (!here.paused) await null
  const { id } = await here.add(made())
  service.faults = [
    async (respond) => {
      const given = respond()
      await undo(here, id)
      return given
    },
  ]
  await tab(shelf, service).send()
  assert.equal(shelf.of(id).state, 'undone')
  assert.equal(service.level, 1)
})

test('a response that comes after another tab has booked and undone changes nothing', async () => {
  const [shelf, service] = [new Shelf(), new Counter()]
  const other = tab(shelf, service)
  const { id } = await shelf.add(made())
  service.faults = [
    async (respond) => {
      const given = respond()
      await other.send()
      await undo(other, id)
      await other.send()
      return given
    },
  ]
  await tab(shelf, service).send()
  assert.equal(shelf.of(id).state, 'undone')
  assert.equal(service.level, 0)
})

test('a booking is known as sent before its request is on its way', async () => {
  const [shelf, service] = [new Shelf(), new Counter()]
  /** @type {(boolean | undefined)[]} */
  const marks = []
  service.faults = [(respond) => (marks.push(shelf.of(1).sent), respond())]
  const { sent } = await tab(shelf, service).add(made())
  await tab(shelf, service).send()
  assert.deepEqual([sent, ...marks], [false, true])
})

test('a booking that another tab has sent, and whose response was lost with it, is undone', async () => {
  const [shelf, service] = [new Shelf(), new Counter()]
  const here = new Queue(shelf, new Counter([notSent]), () => new Promise(() => {}))
  await here.add(made())
  while (!here.paused) await null
  const { id } = await here.add(made())
  service.faults = [responseLost]
  const closed = new Queue(shelf, service, () => new Promise(() => {}))
  void closed.send()
  while (!closed.paused) await null
  await undo(here, id)
  await tab(shelf, service).send()
  assert.equal(shelf.of(id).state, 'undone')
  assert.equal(service.level, 1)
})

test('a booking of an older page, which did not store whether it was sent, is undone once it is booked', async () => {
  const [shelf, service] = [new Shelf(), new Counter()]
  const { sent: _, ...older } = made()
  const { id } = await shelf.add(older)
  service.faults = [responseLost]
  const queue = tab(shelf, service)
  await undo(queue, id)
  await queue.send()
  assert.equal(shelf.of(id).state, 'undone')
  assert.equal(service.level, 0)
})

test('an undo means the change that was booked, also after the service gave its id to another one', async () => {
  const [shelf, service] = [new Shelf(), new Counter()]
  const queue = tab(shelf, service)
  const { id } = await queue.add(made())
  await queue.send()
  service.changes.clear()
  service.day = '2026-02-01'
  await queue.add(made())
  await queue.send()
  await undo(queue, id)
  await queue.send()
  assert.equal(service.level, 2)
  assert.equal(shelf.of(id).state, 'booked')
  assert.equal(shelf.of(id).problem?.message, 'there is no such change')
})

test('a booking of an older page, which did not store when its change was written, is undone by its id', async () => {
  const [shelf, service] = [new Shelf(), new Counter()]
  const queue = tab(shelf, service)
  const { id } = await queue.add(made())
  await queue.send()
  const { changedAt: _, ...older } = shelf.of(id).result ?? assert.fail()
  await shelf.update([id], (one) => ({ ...one, result: older }))
  await undo(queue, id)
  await queue.send()
  assert.equal(service.level, 0)
})
