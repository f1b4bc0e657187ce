import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import * as next from '../../barcodesvc/page/script/scan/session.js'
import { MODES } from './simulated_hands.js'

const {
  cancel,
  choose,
  confirm,
  digitsOf,
  directionOf,
  end,
  enter,
  newSession,
  scan,
  setLevel,
  step,
  takeBack,
  addDigits,
} = next

/**
 * @param {import('../../barcodesvc/page/script/types.js').Mode} mode
 * @param {string} [typed]
 */
function session(mode, typed = '') {
  const made = newSession(mode)
  addDigits(made, typed)
  return made
}

test('a look-up shows the product and books nothing', () => {
  const look = session('look-up', '5')
  assert.deepEqual(scan(look, 'A'), { book: [], show: 'A' })
  assert.deepEqual(enter(look, 'A'), { book: [], show: 'A' })
  assert.deepEqual(confirm(look), { book: [] })
})

test('a scan books 1 in or out, or the amount that was typed before it, once', () => {
  const puts = session('put-in', '12')
  assert.deepEqual(scan(puts, 'A'), { book: [{ code: 'A', delta: 12 }] })
  assert.deepEqual(scan(puts, 'A'), { book: [{ code: 'A', delta: 1 }] })
  assert.deepEqual(scan(session('take-out', '3'), 'A'), { book: [{ code: 'A', delta: -3 }] })
})

test('a scan counts what is inside its code if that is wanted, but not with a typed amount, and no level', () => {
  const puts = session('put-in')
  puts.embedded.value = true
  assert.deepEqual(scan(puts, 'A'), { book: [{ code: 'A', delta: 1, embedded: true }] })
  addDigits(puts, '3')
  assert.deepEqual(scan(puts, 'A'), { book: [{ code: 'A', delta: 3 }] })
  const sets = session('set', '3')
  sets.embedded.value = true
  assert.deepEqual(scan(sets, 'A'), { book: [{ code: 'A', level: 3 }] })
})

test('the symbology that a camera has read stays with its code', () => {
  assert.deepEqual(scan(session('look-up'), 'A', 'ITF'), { book: [], show: 'A', type: 'ITF' })
  assert.deepEqual(scan(session('put-in'), 'A', 'ITF'), { book: [{ code: 'A', type: 'ITF', delta: 1 }] })
  const sets = session('set')
  assert.deepEqual(scan(sets, 'A', 'ITF'), { book: [], show: 'A', type: 'ITF' })
  addDigits(sets, '3')
  assert.deepEqual(scan(sets, 'B'), { book: [{ code: 'A', type: 'ITF', level: 3 }], show: 'B' })
  addDigits(sets, '4')
  assert.deepEqual(confirm(sets), { book: [{ code: 'B', level: 4 }] })
})

test('a level that is typed first is that of the next scan', () => {
  const sets = session('set', '7')
  assert.deepEqual(scan(sets, 'A'), { book: [{ code: 'A', level: 7 }] })
  assert.equal(sets.waiting.value, null)
})

test('a level that is typed after a scan is that of the product that was scanned', () => {
  const sets = session('set')
  assert.deepEqual(scan(sets, 'A'), { book: [], show: 'A' })
  addDigits(sets, '12')
  assert.deepEqual(confirm(sets), { book: [{ code: 'A', level: 12 }] })
  assert.deepEqual(confirm(sets), { book: [] })
})

test('a scan sets the product that waits, if a level was typed, and then shows its own', () => {
  const sets = session('set')
  scan(sets, 'A')
  addDigits(sets, '12')
  assert.deepEqual(scan(sets, 'B'), { book: [{ code: 'A', level: 12 }], show: 'B' })
  assert.deepEqual(scan(sets, 'C'), { book: [], show: 'C' })
  addDigits(sets, '0')
  assert.deepEqual(confirm(sets), { book: [{ code: 'C', level: 0 }] })
})

test('the same code again sets the product that waits, and asks for its level again', () => {
  const sets = session('set')
  scan(sets, 'A')
  addDigits(sets, '12')
  assert.deepEqual(scan(sets, 'A'), { book: [{ code: 'A', level: 12 }], show: 'A' })
  assert.equal(sets.waiting.value?.code, 'A')
  assert.equal(digitsOf(sets), '')
})

test('a cancelled product is not booked, and its amount does not apply to the next scan', () => {
  const sets = session('set')
  scan(sets, 'A')
  addDigits(sets, '12')
  cancel(sets)
  assert.deepEqual(confirm(sets), { book: [] })
  assert.deepEqual(scan(sets, 'B'), { book: [], show: 'B' })
})

test('digits after a confirmed level correct it, and never count for the next scan', () => {
  for (const ends of [confirm, setLevel]) {
    const sets = session('set')
    scan(sets, 'A', 'ITF')
    sets.product.value = 'A'
    if (ends === setLevel) cancel(sets)
    addDigits(sets, '12')
    ends(sets)
    addDigits(sets, '15')
    assert.equal(sets.waiting.value?.code, 'A')
    assert.equal(end(sets), 'confirm')
    const [corrected] = confirm(sets).book
    assert.deepEqual([corrected?.code, corrected?.level], ['A', 15])
    addDigits(sets, '16')
    const { book, show } = scan(sets, 'B')
    assert.deepEqual([book.map(({ code, level }) => [code, level]), show], [[['A', 16]], 'B'])
  }
})

test('a correction can be put in instead, or cancelled, and the next amount is for the next scan', () => {
  const sets = session('set')
  scan(sets, 'A')
  sets.product.value = 'A'
  addDigits(sets, '12')
  confirm(sets)
  addDigits(sets, '5')
  assert.deepEqual(step(sets, 1), { book: [{ code: 'A', delta: 5 }] })
  addDigits(sets, '6')
  cancel(sets)
  addDigits(sets, '7')
  assert.deepEqual(scan(sets, 'B'), { book: [{ code: 'B', level: 7 }] })
})

test('a long number after a confirmed level is a code, and corrects nothing', () => {
  const sets = session('set')
  scan(sets, 'A')
  addDigits(sets, '12')
  confirm(sets)
  assert.equal(slowly(sets, '1234567').at(-1), 'code')
  assert.equal(end(sets), 'nothing')
  assert.deepEqual(scan(sets, 'B'), { book: [], show: 'B' })
})

test('an Enter after an amount that is for no product is refused, where a scan does not have to follow', () => {
  for (const mode of /** @type {const} */ (['set', 'look-up'])) {
    const shows = session(mode)
    shows.product.value = 'A'
    addDigits(shows, '5')
    assert.equal(end(shows), 'unused')
    assert.equal(digitsOf(shows), '')
  }
  const puts = session('put-in', '5')
  puts.product.value = 'A'
  assert.equal(end(puts), 'nothing')
  assert.deepEqual(scan(puts, 'B'), { book: [{ code: 'B', delta: 5 }] })
  const sets = session('set', '5')
  assert.equal(end(sets), 'nothing')
  assert.deepEqual(scan(sets, 'B'), { book: [{ code: 'B', level: 5 }] })
})

test('a product without a level keeps waiting', () => {
  const sets = session('set')
  scan(sets, 'A')
  assert.deepEqual(confirm(sets), { book: [] })
  assert.equal(sets.waiting.value?.code, 'A')
})

test('a typed code waits until it is confirmed', () => {
  for (const [mode, change] of /** @type {const} */ ([
    ['put-in', { delta: 1 }],
    ['take-out', { delta: -1 }],
  ])) {
    const types = session(mode)
    assert.deepEqual(enter(types, 'A'), { book: [], show: 'A' })
    assert.deepEqual(confirm(types), { book: [{ code: 'A', ...change }] })
  }
})

test('an amount that was typed before a typed code is its own', () => {
  const types = session('put-in', '5')
  enter(types, 'A')
  assert.deepEqual(confirm(types), { book: [{ code: 'A', delta: 5 }] })
  const sets = session('set', '5')
  enter(sets, 'A')
  assert.deepEqual(confirm(sets), { book: [{ code: 'A', level: 5 }] })
})

test('a scan books the typed code that waits only if its amount was typed', () => {
  const types = session('put-in')
  enter(types, 'A')
  assert.deepEqual(scan(types, 'B'), { book: [{ code: 'B', delta: 1 }] })
  enter(types, 'A')
  addDigits(types, '5')
  assert.deepEqual(scan(types, 'B'), {
    book: [
      { code: 'A', delta: 5 },
      { code: 'B', delta: 1 },
    ],
  })
})

test('another mode forgets the product that waits, and the amount', () => {
  const sets = session('set')
  scan(sets, 'A')
  addDigits(sets, '12')
  choose(sets, 'put-in')
  assert.deepEqual(scan(sets, 'B'), { book: [{ code: 'B', delta: 1 }] })
})

test('digits are the amount, and other text is not', () => {
  const puts = session('put-in', '007')
  assert.equal(digitsOf(puts), '7')
  assert.equal(addDigits(puts, 'a1'), 'other')
  assert.equal(addDigits(puts, '123'), 'used')
  assert.equal(digitsOf(puts), '7123')
  puts.typed.value = ''
  addDigits(puts, '0')
  assert.equal(digitsOf(puts), '')
  assert.equal(digitsOf(session('set', '00')), '0')
})

/**
 * Type digits as slowly as a slow scanner, and return what each of them was.
 *
 * @param {next.Session} typing
 * @param {string} digits
 */
function slowly(typing, digits) {
  return [...digits].map((digit, index) => addDigits(typing, digit, index * 60))
}

test('a code whose digits come slowly is no amount, also not in part', () => {
  for (const mode of /** @type {const} */ (['put-in', 'take-out', 'set'])) {
    const types = session(mode)
    const kinds = slowly(types, '9521234543213')
    assert.equal(kinds.indexOf('code'), 6)
    assert.equal(kinds.lastIndexOf('code'), 6)
    assert.equal(digitsOf(types), '')
    assert.equal(end(types), 'nothing')
    addDigits(types, '5', 800)
    assert.equal(digitsOf(types), '5')
  }
})

test('without an Enter, the next amount begins after a pause', () => {
  const puts = session('put-in')
  slowly(puts, '9521234543213')
  addDigits(puts, '5', 5000)
  assert.equal(digitsOf(puts), '5')
})

test('an amount may be typed at once after a code that was taken back', () => {
  const puts = session('put-in')
  slowly(puts, '9521234543213')
  takeBack(puts, 13)
  addDigits(puts, '5', 12 * 60 + 200)
  assert.equal(digitsOf(puts), '5')
})

test('more than six digits are a code, with their leading zeros', () => {
  for (const mode of /** @type {const} */ (['put-in', 'take-out', 'set'])) {
    const types = session(mode)
    assert.equal(slowly(types, '0000123').at(-1), 'code')
    assert.equal(end(types), 'nothing')
    assert.equal(digitsOf(types), '')
    addDigits(types, '123456', 5000)
    assert.equal(end(types), 'nothing')
  }
})

test('a level of up to six digits is set by an Enter, and a slow code that comes instead is none', () => {
  const sets = session('set')
  scan(sets, 'A')
  assert.equal(slowly(sets, '12345670').at(6), 'code')
  assert.equal(digitsOf(sets), '')
  addDigits(sets, '123456', 5000)
  assert.equal(end(sets), 'confirm')
  assert.deepEqual(confirm(sets), { book: [{ code: 'A', level: 123456 }] })
})

test('digits that were part of a code are taken back, and what was typed before them stays', () => {
  const puts = session('put-in', '12')
  addDigits(puts, '46')
  takeBack(puts, 2)
  assert.deepEqual(scan(puts, 'A'), { book: [{ code: 'A', delta: 12 }] })
  takeBack(puts, 1)
  assert.equal(digitsOf(puts), '')
})

test('digits that were part of a code correct no level', () => {
  const sets = session('set')
  scan(sets, 'A')
  addDigits(sets, '12')
  confirm(sets)
  addDigits(sets, '46')
  takeBack(sets, 2)
  assert.equal(sets.waiting.value, null)
  addDigits(sets, '15')
  assert.deepEqual(confirm(sets), { book: [{ code: 'A', level: 15 }] })
})

test('minus and plus change the product on the panel by the typed amount, once, in every mode', () => {
  for (const mode of MODES) {
    const shows = session(mode)
    assert.deepEqual(step(shows, 1), { book: [] })
    shows.product.value = 'A'
    assert.deepEqual(step(shows, 1), { book: [{ code: 'A', delta: 1 }] })
    addDigits(shows, '3')
    assert.deepEqual(step(shows, -1), { book: [{ code: 'A', delta: -3 }] })
    assert.deepEqual(step(shows, -1), { book: [{ code: 'A', delta: -1 }] })
  }
})

test('set gives the product on the panel the typed level, or waits for one', () => {
  const looks = session('look-up')
  looks.product.value = 'A'
  addDigits(looks, '0')
  assert.deepEqual(setLevel(looks), { book: [{ code: 'A', level: 0 }] })
  assert.deepEqual(setLevel(looks), { book: [], show: 'A' })
  assert.equal(directionOf(looks), 'set')
  assert.deepEqual(step(looks, 1), { book: [] })
  addDigits(looks, '12')
  assert.deepEqual(scan(looks, 'B'), { book: [{ code: 'A', level: 12 }], show: 'B' })
  assert.equal(directionOf(looks), 'look-up')
})

test('in a look-up the amount needs a product, and is not that of the next one', () => {
  const looks = session('look-up')
  assert.equal(addDigits(looks, '3', 0), 'other')
  scan(looks, 'A')
  looks.product.value = 'A'
  assert.equal(addDigits(looks, '3', 2000), 'used')
  scan(looks, 'B')
  looks.product.value = 'B'
  assert.deepEqual(step(looks, 1), { book: [{ code: 'B', delta: 1 }] })
})

test('a reason goes with every booking until the mode changes', () => {
  const takes = session('take-out')
  takes.reason.value = 'damaged'
  assert.deepEqual(scan(takes, 'A'), { book: [{ code: 'A', delta: -1, reason: 'damaged' }] })
  takes.product.value = 'A'
  assert.deepEqual(step(takes, 1), { book: [{ code: 'A', delta: 1, reason: 'damaged' }] })
  choose(takes, 'put-in')
  assert.deepEqual(scan(takes, 'A'), { book: [{ code: 'A', delta: 1 }] })
})
