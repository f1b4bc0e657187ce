import assert from 'node:assert/strict'
import { test } from 'node:test'

import {
  ageOf,
  asScan,
  levelAfter,
  newBooking,
  settled,
  takenBack,
} from '../../barcodesvc/page/script/bookings/booking.js'
import { newKey } from '../../barcodesvc/page/script/idempotency_key.js'

const NOW = new Date('2026-01-31T12:00:00Z')

test('a booking is sent with its age', () => {
  const made = { ...newBooking({ code: 'A-1', delta: -2, author: 'Ann' }, NOW), id: 1 }
  assert.deepEqual(asScan(made, 1500), {
    code_data: 'A-1',
    delta: -2,
    idempotency_key: made.key,
    scanned_ago_ms: 1500,
    updated_by: 'Ann',
  })
})

test('a count is sent as a level, even if it is 0', () => {
  const scan = asScan({ ...newBooking({ code: 'A-1', level: 0, author: '' }, NOW), id: 1 }, 0)
  assert.deepEqual(Object.keys(scan).sort(), ['code_data', 'idempotency_key', 'new_level', 'scanned_ago_ms'])
})

test('the symbology that a camera has read goes with its code, and is left out for a scanner', () => {
  const made = newBooking({ code: '01234565', type: 'UPCE', delta: 1, author: '' }, NOW)
  assert.equal(asScan({ ...made, id: 1 }, 0).code_type, 'UPCE')
  assert.ok(!('code_type' in asScan({ ...newBooking({ code: 'A-1', delta: 1, author: '' }, NOW), id: 1 }, 0)))
})

test('the same code twice is two bookings', () => {
  const keys = new Set(Array.from({ length: 1000 }, () => newBooking({ code: 'A-1', delta: 1, author: '' }, NOW).key))
  assert.equal(keys.size, 1000)
  assert.match(newKey(), /^[0-9a-f]{32}$/)
})

test('the age of a scan is the time since then, and none if the clock was set back', () => {
  const ages = [0, 1500, 3 * 86_400_000, -3_600_000].map((later) =>
    ageOf(NOW.toISOString(), NOW.getTime() + later, -Infinity),
  )
  assert.deepEqual(ages, [0, 1500, 3 * 86_400_000, 0])
})

test('a scan that was made while a request was under way counts from its response, but at most a minute later', () => {
  const [made, hour] = [NOW.getTime(), 3_600_000]
  const ages = [-1000, 400, 90_000].map((later) => ageOf(NOW.toISOString(), made + hour, made + later))
  assert.deepEqual(ages, [hour, hour - 400, hour - 60_000])
})

test('a remembered level counts the bookings that wait, in their order', () => {
  const made = (/** @type {object} */ what) =>
    /** @type {import('../../barcodesvc/page/script/bookings/booking.js').Booking} */ ({
      ...newBooking({ code: 'A-1', author: '', ...what }, NOW),
      id: 1,
    })
  assert.equal(levelAfter(10, [made({ delta: 2 }), made({ delta: -1 })]), 11)
  assert.equal(levelAfter(10, [made({ delta: 2 }), made({ level: 5 }), made({ delta: 1 })]), 6)
  const result = { productId: 1, productCode: 'A-1', description: '', changeId: 7, oldLevel: 8, newLevel: 10 }
  assert.equal(levelAfter(10, [{ ...made({ delta: 2 }), state: 'booked', undoKey: 'k', result }]), 8)
  assert.equal(levelAfter(10, [{ ...made({ delta: 2 }), undoKey: 'k' }]), 10)
})

/** How the service refuses to count what is inside a code that has nothing inside. */
const NOTHING_INSIDE = { success: false, code: 'VALIDATION_ERROR', details: { errors: [{ field: 'delta_from' }] } }

test('a code with nothing inside counts as one, under another key', () => {
  const made = { ...newBooking({ code: 'A-1', delta: -1, embedded: true, author: '' }, NOW), id: 1, sent: true }
  assert.equal(/** @type {any} */ (asScan(made, 0)).delta_from, 'embedded')
  const plain = settled(made, NOTHING_INSIDE)
  assert.equal(plain.state, 'waiting')
  assert.notEqual(plain.key, made.key)
  assert.ok(!('delta_from' in asScan(plain, 0)))
  assert.equal(settled(plain, NOTHING_INSIDE), plain) // another tab has sent the first one, too
  assert.equal(settled(takenBack(made, 'Ann'), NOTHING_INSIDE).state, 'undone')
})
