import assert from 'node:assert/strict'
import { test } from 'node:test'

import { newBooking } from '../../barcodesvc/page/script/bookings/booking.js'
import { Queue } from '../../barcodesvc/page/script/bookings/queue.js'
import { Counter, notSent, Shelf } from './booked.js'

const NOON = Date.parse('2026-01-31T12:00Z')

/** A service that notes the ages of the scans that it is sent, and takes `lasts` milliseconds for them. */
class Noting extends Counter {
  /** @type {number[]} */
  ages = []
  time = NOON
  lasts = 0

  /**
   * @override
   * @param {any[]} scans
   */
  book(scans) {
    this.ages.push(...scans.map(({ scanned_ago_ms: age }) => age))
    this.time += this.lasts
    return super.book(scans)
  }
}

/** @param {Noting} service */
function queueOf(service) {
  const waited = (/** @type {number} */ pause) => Promise.resolve(void (service.time += pause))
  return new Queue(new Shelf(), service, waited, () => service.time)
}

/** @param {number} time */
function scanned(time) {
  return newBooking({ code: 'A-1', delta: 1, author: 'Ann' }, new Date(time))
}

test('each attempt says how long ago the scan was by then', async () => {
  const service = new Noting([notSent, notSent])
  const queue = queueOf(service)
  await queue.add(scanned(NOON - 200))
  await queue.send()
  assert.deepEqual(service.ages, [200, 700, 1700])
})

test('a count is not before what the same device has booked, though its request was slow', async () => {
  const service = new Noting()
  service.lasts = 5000
  const queue = queueOf(service)
  await queue.add(scanned(NOON))
  await queue.send()
  service.time += 100
  await queue.add(scanned(NOON + 2000))
  await queue.send()
  assert.deepEqual(service.ages, [0, 100])
})
