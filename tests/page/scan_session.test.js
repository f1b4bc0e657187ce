import assert from 'node:assert/strict'
import { test } from 'node:test'

import { MODES } from '../../barcodesvc/page/script/scan/modes.js'
import { ScanSession } from '../../barcodesvc/page/script/scan/session.js'

/**
 * @param {import('../../barcodesvc/page/script/scan/modes.js').Mode} mode
 * @param {string} [typed]
 */
function session(mode, typed = '') {
  const made = new ScanSession(mode)
  made.type(typed)
  return made
}

test('a look-up shows the product and books nothing', () => {
  const look = session('look-up', '5')
  assert.deepEqual(look.scan('A'), { book: [], show: 'A' })
  assert.deepEqual(look.enter('A'), { book: [], show: 'A' })
  assert.deepEqual(look.confirm(), { book: [] })
})

test('a scan books 1 in or out, or the amount that was typed before it, once', () => {
  const puts = session('put-in', '12')
  assert.deepEqual(puts.scan('A'), { book: [{ code: 'A', delta: 12 }] })
  assert.deepEqual(puts.scan('A'), { book: [{ code: 'A', delta: 1 }] })
  assert.deepEqual(session('take-out', '3').scan('A'), { book: [{ code: 'A', delta: -3 }] })
})

test('the symbology that a camera has read stays with its code', () => {
  assert.deepEqual(session('look-up').scan('A', 'ITF'), { book: [], show: 'A', type: 'ITF' })
  assert.deepEqual(session('put-in').scan('A', 'ITF'), { book: [{ code: 'A', type: 'ITF', delta: 1 }] })
  const sets = session('set')
  assert.deepEqual(sets.scan('A', 'ITF'), { book: [], show: 'A', type: 'ITF' })
  sets.type('3')
  assert.deepEqual(sets.scan('B'), { book: [{ code: 'A', type: 'ITF', level: 3 }], show: 'B' })
  sets.type('4')
  assert.deepEqual(sets.confirm(), { book: [{ code: 'B', level: 4 }] })
})

test('a level that is typed first is that of the next scan', () => {
  const sets = session('set', '7')
  assert.deepEqual(sets.scan('A'), { book: [{ code: 'A', level: 7 }] })
  assert.equal(sets.waiting, '')
})

test('a level that is typed after a scan is that of the product that was scanned', () => {
  const sets = session('set')
  assert.deepEqual(sets.scan('A'), { book: [], show: 'A' })
  sets.type('12')
  assert.deepEqual(sets.confirm(), { book: [{ code: 'A', level: 12 }] })
  assert.deepEqual(sets.confirm(), { book: [] })
})

test('a scan sets the product that waits, if a level was typed, and then shows its own', () => {
  const sets = session('set')
  sets.scan('A')
  sets.type('12')
  assert.deepEqual(sets.scan('B'), { book: [{ code: 'A', level: 12 }], show: 'B' })
  assert.deepEqual(sets.scan('C'), { book: [], show: 'C' })
  sets.type('0')
  assert.deepEqual(sets.confirm(), { book: [{ code: 'C', level: 0 }] })
})

test('the same code again sets the product that waits, and asks for its level again', () => {
  const sets = session('set')
  sets.scan('A')
  sets.type('12')
  assert.deepEqual(sets.scan('A'), { book: [{ code: 'A', level: 12 }], show: 'A' })
  assert.equal(sets.waiting, 'A')
  assert.equal(sets.digits, '')
})

test('a cancelled product is not booked, and its amount does not apply to the next scan', () => {
  const sets = session('set')
  sets.scan('A')
  sets.type('12')
  sets.cancel()
  assert.deepEqual(sets.confirm(), { book: [] })
  assert.deepEqual(sets.scan('B'), { book: [], show: 'B' })
})

test('digits after a confirmed level correct it, and never count for the next scan', () => {
  for (const confirm of /** @type {const} */ (['confirm', 'set'])) {
    const sets = session('set')
    sets.scan('A', 'ITF')
    sets.product = 'A'
    if (confirm === 'set') sets.cancel()
    sets.type('12')
    sets[confirm]()
    sets.type('15')
    assert.equal(sets.waiting, 'A')
    assert.equal(sets.end(), 'confirm')
    const [corrected] = sets.confirm().book
    assert.deepEqual([corrected?.code, corrected?.level], ['A', 15])
    sets.type('16')
    const { book, show } = sets.scan('B')
    assert.deepEqual([book.map(({ code, level }) => [code, level]), show], [[['A', 16]], 'B'])
  }
})

test('a correction can be put in instead, or cancelled, and the next amount is for the next scan', () => {
  const sets = session('set')
  sets.scan('A')
  sets.product = 'A'
  sets.type('12')
  sets.confirm()
  sets.type('5')
  assert.deepEqual(sets.step(1), { book: [{ code: 'A', delta: 5 }] })
  sets.type('6')
  sets.cancel()
  sets.type('7')
  assert.deepEqual(sets.scan('B'), { book: [{ code: 'B', level: 7 }] })
})

test('a long number after a confirmed level is a code, and corrects nothing', () => {
  const sets = session('set')
  sets.scan('A')
  sets.type('12')
  sets.confirm()
  slowly(sets, '1234567')
  assert.equal(sets.end(), 'code')
  assert.deepEqual(sets.scan('B'), { book: [], show: 'B' })
})

test('an Enter after an amount that is for no product is refused, where a scan does not have to follow', () => {
  for (const mode of /** @type {const} */ (['set', 'look-up'])) {
    const shows = session(mode)
    shows.product = 'A'
    shows.type('5')
    assert.equal(shows.end(), 'unused')
    assert.equal(shows.digits, '')
  }
  const puts = session('put-in', '5')
  puts.product = 'A'
  assert.equal(puts.end(), 'nothing')
  assert.deepEqual(puts.scan('B'), { book: [{ code: 'B', delta: 5 }] })
  const sets = session('set', '5')
  assert.equal(sets.end(), 'nothing')
  assert.deepEqual(sets.scan('B'), { book: [{ code: 'B', level: 5 }] })
})

test('a product without a level keeps waiting', () => {
  const sets = session('set')
  sets.scan('A')
  assert.deepEqual(sets.confirm(), { book: [] })
  assert.equal(sets.waiting, 'A')
})

test('a typed code waits until it is confirmed', () => {
  for (const [mode, change] of /** @type {const} */ ([
    ['put-in', { delta: 1 }],
    ['take-out', { delta: -1 }],
  ])) {
    const types = session(mode)
    assert.deepEqual(types.enter('A'), { book: [], show: 'A' })
    assert.deepEqual(types.confirm(), { book: [{ code: 'A', ...change }] })
  }
})

test('an amount that was typed before a typed code is its own', () => {
  const types = session('put-in', '5')
  types.enter('A')
  assert.deepEqual(types.confirm(), { book: [{ code: 'A', delta: 5 }] })
  const sets = session('set', '5')
  sets.enter('A')
  assert.deepEqual(sets.confirm(), { book: [{ code: 'A', level: 5 }] })
})

test('a scan books the typed code that waits only if its amount was typed', () => {
  const types = session('put-in')
  types.enter('A')
  assert.deepEqual(types.scan('B'), { book: [{ code: 'B', delta: 1 }] })
  types.enter('A')
  types.type('5')
  assert.deepEqual(types.scan('B'), {
    book: [
      { code: 'A', delta: 5 },
      { code: 'B', delta: 1 },
    ],
  })
})

test('another mode forgets the product that waits, and the amount', () => {
  const sets = session('set')
  sets.scan('A')
  sets.type('12')
  sets.choose('put-in')
  assert.deepEqual(sets.scan('B'), { book: [{ code: 'B', delta: 1 }] })
})

test('digits are the amount, and other text is not', () => {
  const puts = session('put-in', '007')
  assert.equal(puts.digits, '7')
  assert.equal(puts.type('a1'), 'other')
  assert.equal(puts.type('12345'), 'used')
  assert.equal(puts.digits, '712345')
  puts.erase()
  assert.equal(puts.digits, '71234')
  puts.clear()
  puts.type('0')
  assert.equal(puts.digits, '')
  assert.equal(session('set', '00').digits, '0')
})

/**
 * Type digits as slowly as a slow scanner, and return what each of them was.
 *
 * @param {ScanSession} typing
 * @param {string} digits
 */
function slowly(typing, digits) {
  return [...digits].map((digit, index) => typing.type(digit, index * 60))
}

test('a code whose digits come slowly is no amount, also not in part', () => {
  for (const [mode, most] of /** @type {const} */ ([
    ['put-in', 8],
    ['take-out', 8],
    ['set', 9],
  ])) {
    const types = session(mode)
    const kinds = slowly(types, '9521234543213')
    assert.equal(kinds.indexOf('code'), most)
    assert.equal(kinds.lastIndexOf('code'), most)
    assert.equal(types.digits, '')
    assert.equal(types.end(), 'nothing')
    types.type('5', 800)
    assert.equal(types.digits, '5')
  }
})

test('without an Enter, the next amount begins after a pause', () => {
  const puts = session('put-in')
  slowly(puts, '9521234543213')
  puts.type('5', 5000)
  assert.equal(puts.digits, '5')
})

test('an amount may be typed at once after a code that was taken back', () => {
  const puts = session('put-in')
  slowly(puts, '9521234543213')
  puts.takeBack(13)
  puts.type('5', 12 * 60 + 200)
  assert.equal(puts.digits, '5')
})

test('more than six digits and an Enter are a code, with their leading zeros', () => {
  for (const mode of /** @type {const} */ (['put-in', 'take-out', 'set'])) {
    const types = session(mode)
    slowly(types, '0000123')
    assert.equal(types.end(), 'code')
    assert.equal(types.digits, '')
    slowly(types, '123456')
    assert.equal(types.end(), 'nothing')
  }
})

test('a level is set by an Enter, however large it is', () => {
  const sets = session('set')
  sets.scan('A')
  slowly(sets, '12345678')
  assert.equal(sets.end(), 'confirm')
  assert.deepEqual(sets.confirm(), { book: [{ code: 'A', level: 12345678 }] })
})

test('digits that were part of a code are taken back, and what was typed before them stays', () => {
  const puts = session('put-in', '12')
  puts.type('46')
  puts.takeBack(2)
  assert.deepEqual(puts.scan('A'), { book: [{ code: 'A', delta: 12 }] })
  puts.takeBack(1)
  assert.equal(puts.digits, '')
})

test('digits that were part of a code correct no level', () => {
  const sets = session('set')
  sets.scan('A')
  sets.type('12')
  sets.confirm()
  sets.type('46')
  sets.takeBack(2)
  assert.equal(sets.waiting, '')
  sets.type('15')
  assert.deepEqual(sets.confirm(), { book: [{ code: 'A', level: 15 }] })
})

test('results sound bad if any is refused, and good if one of this session is booked', () => {
  const puts = session('put-in')
  puts.pending.add(1).add(2)
  assert.equal(puts.outcome([{ id: 1, state: 'waiting' }]), null)
  assert.equal(puts.outcome([{ id: 1, state: 'booked' }]), 'good')
  assert.equal(puts.outcome([{ id: 1, state: 'booked' }]), null)
  assert.equal(
    puts.outcome([
      { id: 2, state: 'booked' },
      { id: 3, state: 'refused' },
    ]),
    'bad',
  )
  assert.equal(puts.pending.size, 0)
})

test('minus and plus change the product on the panel by the typed amount, once, in every mode', () => {
  for (const mode of MODES) {
    const shows = session(mode)
    assert.deepEqual(shows.step(1), { book: [] })
    shows.product = 'A'
    assert.deepEqual(shows.step(1), { book: [{ code: 'A', delta: 1 }] })
    shows.type('3')
    assert.deepEqual(shows.step(-1), { book: [{ code: 'A', delta: -3 }] })
    assert.deepEqual(shows.step(-1), { book: [{ code: 'A', delta: -1 }] })
  }
})

test('set gives the product on the panel the typed level, or waits for one', () => {
  const looks = session('look-up')
  looks.product = 'A'
  looks.type('0')
  assert.deepEqual(looks.set(), { book: [{ code: 'A', level: 0 }] })
  assert.deepEqual(looks.set(), { book: [], show: 'A' })
  assert.equal(looks.direction, 'set')
  assert.deepEqual(looks.step(1), { book: [] })
  looks.type('12')
  assert.deepEqual(looks.scan('B'), { book: [{ code: 'A', level: 12 }], show: 'B' })
  assert.equal(looks.direction, 'look-up')
})

test('in a look-up the amount needs a product, and is not that of the next one', () => {
  const looks = session('look-up')
  assert.equal(looks.type('3', 0), 'other')
  looks.scan('A')
  looks.product = 'A'
  assert.equal(looks.type('3', 2000), 'used')
  looks.scan('B')
  looks.product = 'B'
  assert.deepEqual(looks.step(1), { book: [{ code: 'B', delta: 1 }] })
})

test('a reason goes with every booking until the mode changes', () => {
  const takes = session('take-out')
  takes.reason = 'damaged'
  assert.deepEqual(takes.scan('A'), { book: [{ code: 'A', delta: -1, reason: 'damaged' }] })
  takes.product = 'A'
  assert.deepEqual(takes.step(1), { book: [{ code: 'A', delta: 1, reason: 'damaged' }] })
  takes.choose('put-in')
  assert.deepEqual(takes.scan('A'), { book: [{ code: 'A', delta: 1 }] })
})
