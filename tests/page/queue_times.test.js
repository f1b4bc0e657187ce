import assert from 'node:assert/strict'
import { test } from 'node:test'

import { booking } from '../../barcodesvc/page/script/bookings/booking.js'
import { Queue } from '../../barcodesvc/page/script/bookings/queue.js'
import { ServiceClock } from '../../barcodesvc/page/script/service_clock.js'
import { Counter, Shelf } from './booked.js'

/** A service whose clock shows 1:00 on the first day of 1970, and which accepts no scan with a later time. */
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

/** A service that says what time it is when it is asked, on a device whose clock shows five. */
class Telling extends Punctual {
  /** @param {ServiceClock} clock */
  constructor(clock) {
    super()
    this.clock = clock
  }

  /** @override */
  time() {
    this.clock.learn(new Headers({ Date: 'Thu, 01 Jan 1970 00:30:00 GMT' }), FIVE, FIVE)
    return super.time()
  }
}

const FIVE = Date.parse('1970-01-01T05:00Z')

function late() {
  return booking({ code: 'A-1', delta: 1, author: 'Ann' }, new Date(FIVE))
}

test('a scan with an unknown time is corrected before it is first sent', async () => {
  const clock = new ServiceClock()
  const [shelf, service] = [new Shelf(), new Telling(clock)]
  const queue = new Queue(shelf, service, () => Promise.reject(new Error('it rests')), clock)
  const { id } = await queue.add(late())
  await queue.send()
  assert.equal(shelf.of(id).state, 'booked')
  assert.equal(shelf.of(id).scannedAt, '1970-01-01T00:30:01.000Z')
})

test('scans at the same moment have times one after the other', async () => {
  const clock = new ServiceClock()
  const [shelf, service] = [new Shelf(), new Telling(clock)]
  const queue = new Queue(shelf, service, () => Promise.resolve(), clock)
  await service.time()
  const made = [await queue.add(late()), await queue.add(late())]
  assert.deepEqual(
    made.map(({ scannedAt }) => scannedAt),
    ['1970-01-01T00:30:01.000Z', '1970-01-01T00:30:01.001Z'],
  )
})

test('a scan that may have been sent is sent again with the same time', async () => {
  const clock = new ServiceClock()
  const [shelf, service] = [new Shelf(), new Telling(clock)]
  const { id } = await shelf.add({ ...late(), sent: true, scannedAt: '1970-01-01T00:45:00.000Z' })
  await service.time()
  await new Queue(shelf, service, () => Promise.resolve(), clock).send()
  assert.equal(shelf.of(id).scannedAt, '1970-01-01T00:45:00.000Z')
})

test('a scan that may have been sent, and whose time the service refuses, is sent with the time by its clock', async () => {
  const clock = new ServiceClock()
  const [shelf, service] = [new Shelf(), new Telling(clock)]
  const { id } = await shelf.add({ ...late(), sent: true })
  await new Queue(shelf, service, () => Promise.resolve(), clock).send()
  assert.equal(shelf.of(id).state, 'booked')
  assert.equal(shelf.of(id).scannedAt, '1970-01-01T00:30:01.000Z')
})

test('a scan whose time cannot be corrected is sent without one', async () => {
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
