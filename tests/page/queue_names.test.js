import assert from 'node:assert/strict'
import { test } from 'node:test'

import { newBooking } from '../../barcodesvc/page/script/bookings/booking.js'
import { Queue } from '../../barcodesvc/page/script/bookings/queue.js'
import { Counter, Shelf, undo } from './booked.js'

const NOW = new Date(0)

/** Return a queue on a new disk, and what its service was sent. */
function opened() {
  const shelf = new Shelf()
  const counter = new Counter()
  /** @type {any[]} */
  const heard = []
  const service = {
    book: (/** @type {any[]} */ scans) => {
      heard.push(...scans.filter(({ delta }) => delta !== 0))
      return counter.book(scans)
    },
    undo: (/** @type {number} */ id, /** @type {any} */ body) => {
      heard.push(body)
      return counter.undo(id, body)
    },
  }
  return { shelf, heard, queue: new Queue(shelf, service, () => Promise.resolve()) }
}

test('a booking is sent with its name and reason, and one that an older page stored without a name as it is', async () => {
  const { shelf, heard, queue } = opened()
  await shelf.add(newBooking({ code: 'A-1', delta: 1, author: '' }, NOW))
  await queue.add(newBooking({ code: 'B-2', delta: 2, reason: 'sold', author: 'Ben' }, NOW))
  await queue.send()
  assert.deepEqual(
    heard.map(({ updated_by, change_reason }) => [updated_by, change_reason]),
    [
      [undefined, undefined],
      ['Ben', 'sold'],
    ],
  )
})

test('who takes a booking back may be another person', async () => {
  const { heard, queue } = opened()
  const { id } = await queue.add(newBooking({ code: 'A-1', delta: 1, author: 'Ann' }, NOW))
  await queue.send()
  await undo(queue, id, 'Ben')
  await queue.send()
  assert.equal(heard.at(-1).updated_by, 'Ben')
})
