import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'

import { ServiceClock } from '../../barcodesvc/page/script/service_clock.js'
import { pretendStorage } from './pretended_storage.js'

const NOON = Date.parse('2026-01-31T12:00:00Z')
const HALF_PAST = '2026-01-31T12:30:00.500Z'

/** What the tabs of a browser share. */
const shared = pretendStorage('localStorage')
beforeEach(() => shared.clear())

/**
 * @param {string} date
 * @param {string} [cached]
 */
function headers(date, cached = 'no-store') {
  return new Headers({ Date: date, 'Cache-Control': cached })
}

test('an hour by which a device is ahead or behind is subtracted or added', () => {
  const clock = new ServiceClock()
  clock.learn(headers('Sat, 31 Jan 2026 11:00:00 GMT'), NOON + 600, NOON + 700)
  assert.equal(clock.timeOf(HALF_PAST), '2026-01-31T11:30:00.900Z')
  clock.learn(headers('Sat, 31 Jan 2026 13:00:00 GMT'), NOON + 600, NOON + 700)
  assert.equal(clock.timeOf(HALF_PAST), '2026-01-31T13:30:00.900Z')
})

test('two minutes and ten seconds are corrected as an hour is', () => {
  for (const [date, time] of /** @type {const} */ ([
    ['Sat, 31 Jan 2026 12:02:00 GMT', '2026-01-31T12:32:01.500Z'],
    ['Sat, 31 Jan 2026 11:59:50 GMT', '2026-01-31T12:29:51.500Z'],
  ])) {
    const clock = new ServiceClock()
    clock.learn(headers(date), NOON, NOON + 20)
    assert.equal(clock.timeOf(HALF_PAST), time)
  }
})

test('a slow response does not weaken a fast one', () => {
  const clock = new ServiceClock()
  clock.learn(headers('Sat, 31 Jan 2026 12:02:05 GMT'), NOON, NOON + 9000)
  clock.learn(headers('Sat, 31 Jan 2026 12:02:10 GMT'), NOON + 10_000, NOON + 10_050)
  clock.learn(headers('Sat, 31 Jan 2026 12:02:35 GMT'), NOON + 20_000, NOON + 39_000)
  assert.equal(clock.timeOf(HALF_PAST), '2026-01-31T12:32:01.500Z')
})

test('the seconds of several responses together are more precise than seconds', () => {
  const clock = new ServiceClock()
  for (let asked = NOON; asked < NOON + 2000; asked += 90) {
    const said = new Date(Math.floor((asked + 10 + 120_000) / 1000) * 1000)
    clock.learn(headers(said.toUTCString()), asked, asked + 20)
  }
  const wrong = Date.parse(clock.timeOf(HALF_PAST)) - Date.parse('2026-01-31T12:32:00.500Z')
  assert.ok(wrong >= 0 && wrong <= 110, `${wrong}`)
})

test('a time is never earlier than anything that the service wrote before the request', () => {
  const clock = new ServiceClock()
  clock.learn(headers('Sat, 31 Jan 2026 12:02:00 GMT'), NOON, NOON + 500)
  assert.ok(clock.timeOf(new Date(NOON + 500).toISOString()) >= '2026-01-31T12:02:01.000Z')
})

test('a response without a time, with an invalid one, or from the cache is ignored', () => {
  const clock = new ServiceClock()
  clock.learn(new Headers(), NOON, NOON)
  clock.learn(headers('noon'), NOON, NOON)
  clock.learn(headers('Sat, 31 Jan 2026 11:00:00 GMT', 'private, max-age=86400'), NOON, NOON)
  assert.equal(clock.known, false)
})

test('the times of a device go forward, in all its tabs', () => {
  const clocks = [new ServiceClock(), new ServiceClock()]
  clocks.forEach((clock, index) =>
    clock.learn(headers('Sat, 31 Jan 2026 12:00:00 GMT'), NOON + 500 * index, NOON + 600),
  )
  const times = [0, 1, 0, 1].map((index) => clocks[index]?.nextTimeOf(HALF_PAST))
  assert.deepEqual(times, [
    '2026-01-31T12:30:01.500Z',
    '2026-01-31T12:30:01.501Z',
    '2026-01-31T12:30:01.502Z',
    '2026-01-31T12:30:01.503Z',
  ])
})

test('a time that is far ahead, because a clock was wrong, does not move the next', () => {
  const clock = new ServiceClock()
  clock.learn(headers('Sat, 31 Jan 2026 14:00:00 GMT'), NOON, NOON)
  clock.nextTimeOf(HALF_PAST)
  clock.learn(headers('Sat, 31 Jan 2026 12:00:00 GMT'), NOON, NOON)
  assert.equal(clock.nextTimeOf(HALF_PAST), '2026-01-31T12:30:01.500Z')
})
