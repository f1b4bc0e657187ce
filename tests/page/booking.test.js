import assert from 'node:assert/strict'
import { test } from 'node:test'

import { asScan, booking, levelAfter, newKey, timed } from '../../barcodesvc/page/script/bookings/booking.js'
import { ServiceClock } from '../../barcodesvc/page/script/service_clock.js'

const NOW = new Date('2026-01-31T12:00:00Z')

test('a booking keeps the time of its scan, however late it is sent', () => {
  const made = { ...booking({ code: 'A-1', delta: -2, author: 'Ann' }, NOW), id: 1 }
  assert.deepEqual(asScan(made), {
    code_data: 'A-1',
    delta: -2,
    idempotency_key: made.key,
    scanned_at: '2026-01-31T12:00:00.000Z',
    updated_by: 'Ann',
  })
})

test('a count is sent as a level, even if it is 0', () => {
  const scan = asScan({ ...booking({ code: 'A-1', level: 0, author: '' }, NOW), id: 1 })
  assert.deepEqual(Object.keys(scan).sort(), ['code_data', 'idempotency_key', 'new_level', 'scanned_at'])
})

test('the symbology that a camera has read goes with its code, and is left out for a scanner', () => {
  const made = booking({ code: '01234565', type: 'UPCE', delta: 1, author: '' }, NOW)
  assert.equal(asScan({ ...made, id: 1 }).code_type, 'UPCE')
  assert.ok(!('code_type' in asScan({ ...booking({ code: 'A-1', delta: 1, author: '' }, NOW), id: 1 })))
})

test('the same code twice is two bookings', () => {
  const keys = new Set(Array.from({ length: 1000 }, () => booking({ code: 'A-1', delta: 1, author: '' }, NOW).key))
  assert.equal(keys.size, 1000)
  assert.match(newKey(), /^[0-9a-f]{32}$/)
})

test('the time of a scan is corrected by the error of the clock of the device', () => {
  const clock = new ServiceClock()
  clock.learn(new Headers({ Date: 'Sat, 31 Jan 2026 11:00:00 GMT' }), NOW.getTime() - 50, NOW.getTime() + 50)
  const made = booking({ code: 'A-1', delta: 1, author: '' }, NOW)
  assert.equal(timed(made, clock).scannedAt, '2026-01-31T11:00:01.050Z')
})

test('a scan with an unknown time is sent without one', () => {
  const made = { ...timed(booking({ code: 'A-1', delta: 1, author: '' }, NOW), new ServiceClock()), id: 1 }
  assert.ok(!('scanned_at' in asScan(made)))
})

test('a remembered level counts the bookings that wait, in their order', () => {
  const made = (/** @type {object} */ what) =>
    /** @type {import('../../barcodesvc/page/script/bookings/booking.js').Booking} */ ({
      ...booking({ code: 'A-1', author: '', ...what }, NOW),
      id: 1,
    })
  assert.equal(levelAfter(10, [made({ delta: 2 }), made({ delta: -1 })]), 11)
  assert.equal(levelAfter(10, [made({ delta: 2 }), made({ level: 5 }), made({ delta: 1 })]), 6)
  const result = { productId: 1, productCode: 'A-1', description: '', changeId: 7, oldLevel: 8, newLevel: 10 }
  assert.equal(levelAfter(10, [{ ...made({ delta: 2 }), state: 'booked', undoKey: 'k', result }]), 8)
  assert.equal(levelAfter(10, [{ ...made({ delta: 2 }), undoKey: 'k' }]), 10)
})
