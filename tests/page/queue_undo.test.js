import assert from 'node:assert/strict'
import { test } from 'node:test'

import { booking } from '../../barcodesvc/page/script/bookings/booking.js'
import { Queue } from '../../barcodesvc/page/script/bookings/queue.js'
import { answerLost, Counter, notSent, Shelf } from './booked.js'

function made() {
  return booking({ code: 'A-1', delta: 1, author: 'Ann' }, new Date(0))
}

/**
 * @param {Shelf} shelf
 * @param {Counter} service
 */
function tab(shelf, service) {
  return new Queue(shelf, service, () => Promise.resolve())
}

test('an undoing that is asked for twice, and whose answer is lost, counts once', async () => {
  const [shelf, service] = [new Shelf(), new Counter()]
  const queue = tab(shelf, service)
  const { id } = await queue.add(made())
  await queue.send()
  service.faults = [answerLost]
  await queue.undo(id)
  await queue.undo(id)
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
    async (answer) => {
      const given = answer()
      await here.undo(id)
      return given
    },
  ]
  await tab(shelf, service).send()
  assert.equal(shelf.of(id).state, 'undone')
  assert.equal(service.level, 1)
})

test('an answer that comes after another tab has booked and undone changes nothing', async () => {
  const [shelf, service] = [new Shelf(), new Counter()]
  const other = tab(shelf, service)
  const { id } = await shelf.add(made())
  service.faults = [
    async (answer) => {
      const given = answer()
      await other.send()
      await other.undo(id)
      await other.send()
      return given
    },
  ]
  await tab(shelf, service).send()
  assert.equal(shelf.of(id).state, 'undone')
  assert.equal(service.level, 0)
})
