import assert from 'node:assert/strict'
import { test } from 'node:test'

import { SLOW, Wedge } from '../../barcodesvc/page/script/scanner/wedge.js'

/**
 * Type a text with this many milliseconds between two keys, and return the time of the last one.
 *
 * @param {Wedge} wedge
 * @param {string} text
 * @param {number} between
 */
function typed(wedge, text, between, time = 1000) {
  for (const character of text) {
    time += between
    wedge.over(time)
    wedge.type(character, time)
  }
  return time
}

test('keys as fast as a scanner types are a scan, which Enter ends', () => {
  const wedge = new Wedge()
  const time = typed(wedge, '4006381333931', 5)
  assert.equal(wedge.end(time + 5), 'ended')
  assert.equal(wedge.take(), '4006381333931')
})

test('keys of a person are never a scan', () => {
  const wedge = new Wedge()
  const time = typed(wedge, 'a long description', 60)
  assert.equal(wedge.scanning, false)
  assert.deepEqual(wedge.over(time + 60), { kind: 'person', text: 'n' })
  assert.equal(wedge.end(time + 120), 'alone')
})

test('two fast keys are not a scan yet, and go to the person who typed them', () => {
  const wedge = new Wedge()
  const time = typed(wedge, 'ab', 5)
  assert.equal(wedge.end(time + 5), 'alone')
  assert.equal(wedge.over(time + 49), null)
  assert.deepEqual(wedge.over(time + 50), { kind: 'person', text: 'ab' })
})

test('silence ends a scan without an Enter', () => {
  const wedge = new Wedge()
  const time = typed(wedge, '400638', 5)
  assert.equal(wedge.over(time + 99), null)
  assert.deepEqual(wedge.over(time + 100), { kind: 'scan', text: '400638' })
  assert.equal(wedge.over(time + 300), null)
})

test('three to five fast keys that silence ends may be a scan or not', () => {
  for (const text of ['ing', '144', 'Stapl']) {
    const wedge = new Wedge()
    assert.deepEqual(wedge.over(typed(wedge, text, 20) + 100), { kind: 'either', text })
  }
})

test('many keys of which one of the first came slowly are not a certain scan, even with an Enter', () => {
  const wedge = new Wedge()
  const time = typed(wedge, 'pling', 70, typed(wedge, 'Sta', 40))
  assert.equal(wedge.end(time + 10), 'alone')
  assert.deepEqual(wedge.over(time + 100), { kind: 'slow', text: 'Stapling' })
})

test('an Enter ends a short scan if it comes as fast as its keys', () => {
  for (const [pause, heard] of /** @type {const} */ ([
    [49, 'ended'],
    [50, 'alone'],
  ])) {
    const wedge = new Wedge()
    assert.equal(wedge.end(typed(wedge, 'A-1', 20) + pause), heard)
  }
})

test('a key that types nothing itself keeps those before and after it together', () => {
  const wedge = new Wedge()
  const time = typed(wedge, 'A', 5)
  wedge.hold(time + 40)
  assert.equal(wedge.follows(time + 80), true)
  assert.equal(wedge.over(time + 80), null)
})

test('a scan that begins after the silence is another one, even without a check in between', () => {
  const wedge = new Wedge()
  const time = typed(wedge, 'A-1', 5)
  assert.deepEqual(wedge.over(time + 150), { kind: 'either', text: 'A-1' })
  typed(wedge, 'B-2', 5, time + 150)
  assert.equal(wedge.take(), 'B-2')
})

test('an Enter that comes late, and the second of two, still belong to the scanner', () => {
  const late = new Wedge()
  const time = typed(late, 'A-1', 5)
  late.over(time + 100)
  late.expectEnd()
  assert.equal(late.end(time + 300), 'behind')
  assert.equal(late.end(time + 800), 'alone')

  const twice = new Wedge()
  assert.equal(twice.end(typed(twice, 'A-1', 5) + 5), 'ended')
  twice.take()
  assert.equal(twice.end(1025), 'behind')
  assert.equal(twice.end(1600), 'alone')
})

test('a short pause shows that a person typed, unless more keys came before than a person could type', () => {
  const person = new Wedge()
  assert.equal(person.doubts(typed(person, 'the', 40) + 70), true)
  const scanner = new Wedge()
  assert.equal(scanner.doubts(typed(scanner, '400638', 5) + 70), false)
})

test('a slow scanner is heard if its setting is on', () => {
  for (const [pace, heard] of /** @type {const} */ ([
    [undefined, 'alone'],
    [SLOW, 'ended'],
  ])) {
    const wedge = new Wedge(pace)
    assert.equal(wedge.end(typed(wedge, 'A-1', 120) + 120), heard)
  }
})

test('a slow scanner may pause within a code', () => {
  const wedge = new Wedge(SLOW)
  const rest = typed(wedge, '4006', 20) + 300
  assert.equal(wedge.over(rest), null)
  assert.equal(wedge.doubts(rest), false)
  typed(wedge, '381333931', 20, rest)
  assert.equal(wedge.take(), '4006381333931')
})

test('a scan longer than any symbol holds is cut, and uses no memory', () => {
  const wedge = new Wedge()
  typed(wedge, 'x'.repeat(5000), 1)
  assert.equal(wedge.take().length, 4096)
})

test('an Enter that follows a key of a person is not that of the scan before', () => {
  const wedge = new Wedge()
  const time = typed(wedge, '4006381', 5)
  assert.equal(wedge.over(time + 200)?.kind, 'scan')
  wedge.expectEnd()
  wedge.type('7', time + 220)
  assert.equal(wedge.over(time + 300)?.kind, 'person')
  assert.equal(wedge.end(time + 320), 'alone')
})

test('where an Enter is expected, a scan may pause before it', () => {
  const wedge = new Wedge()
  wedge.expectsEnd = true
  const time = typed(wedge, '400638', 5)
  assert.equal(wedge.over(time + 599), null)
  assert.equal(wedge.end(typed(wedge, '1', 599, time) + 5), 'ended')
  wedge.take()
  assert.equal(wedge.over(typed(wedge, 'A-1', 5) + 600)?.kind, 'either')
})

test('the times of the keys say whether a person could type them', () => {
  for (const [gap, isQuick] of /** @type {const} */ ([
    [119, true],
    [120, false],
  ])) {
    const wedge = new Wedge(SLOW)
    const last = typed(wedge, '46', gap)
    assert.deepEqual(wedge.times, { first: 1000 + gap, last, isQuick })
    wedge.take()
    assert.equal(wedge.times.isQuick, isQuick)
    typed(wedge, '5', 0, last + 5)
    assert.equal(wedge.times.isQuick, false)
  }
})
