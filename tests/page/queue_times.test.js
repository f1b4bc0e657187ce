import assert from 'node:assert/strict'
import { test } from 'node:test'

import { booking } from '../../barcodesvc/page/script/bookings/booking.js'
import { Queue } from '../../barcodesvc/page/script/bookings/queue.js'
import { ServiceClock } from '../../barcodesvc/page/script/service_clock.js'
import { Counter, Shelf } from './booked.js'

/** A service whose clock shows the hour 1 of 1970, and that takes no scan of a later time. */
class Punctual extends Counter {
  /**
   * @override
   * @param {any} scan
   */
  one(scan) {
    if (!(scan.scanned_at > '1970-01-01T01')) return super.one(scan)
    return { error: true, code: 'VALIDATION_ERROR', message: 'ahead', details: { errors: [{ field: 'scanned_at' }] } }
  }
}

test('a scan whose time the service refuses is sent with the time by its clock', async () => {
  const [shelf, service, clock] = [new Shelf(), new Punctual(), new ServiceClock()]
  const queue = new Queue(shelf, service, () => Promise.reject(new Error('it rests')), clock)
  const late = booking({ code: 'A-1', delta: 1, author: 'Ann' }, new Date('1970-01-01T05:00Z'))
  const { id } = await queue.add(late)
  clock.learn(
    new Headers({ Date: 'Thu, 01 Jan 1970 00:30:00 GMT' }),
    Date.parse('1970-01-01T05:00Z'),
    Date.parse('1970-01-01T05:00Z'),
  )
  await queue.send()
  assert.equal(shelf.of(id).state, 'booked')
  assert.equal(shelf.of(id).scannedAt, '1970-01-01T00:30:00.000Z')
  assert.equal((await queue.add(late)).scannedAt, '1970-01-01T00:30:00.000Z')
})

test('a scan whose time nobody can correct is sent without one', async () => {
  const [shelf, service] = [new Shelf(), new Punctual()]
  const queue = new Queue(shelf, service, () => Promise.resolve(), new ServiceClock())
  const { id } = await queue.add(booking({ code: 'A-1', delta: 1, author: 'Ann' }, new Date('1970-01-01T05:00Z')))
  await queue.send()
  assert.equal(shelf.of(id).state, 'booked')
})

test('a scan whose right time the service refuses is refused', async () => {
  const [shelf, service, clock] = [new Shelf(), new Punctual(), new ServiceClock()]
  clock.learn(
    new Headers({ Date: 'Thu, 01 Jan 1970 05:00:00 GMT' }),
    Date.parse('1970-01-01T05:00Z'),
    Date.parse('1970-01-01T05:00Z'),
  )
  const queue = new Queue(shelf, service, () => Promise.resolve(), clock)
  const { id } = await queue.add(booking({ code: 'A-1', delta: 1, author: 'Ann' }, new Date('1970-01-01T05:00Z')))
  await queue.send()
  assert.equal(shelf.of(id).state, 'refused')
})
