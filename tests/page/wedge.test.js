import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import { SLOW, USUAL, Wedge } from '../../barcodesvc/page/script/scanner/wedge.js'

/**
 * Type keys with 5 ms between two of them, or the milliseconds that a number says before the next key; `⏎` is Enter. Return what
 * comes of it once all is quiet: scans in brackets, a code that is not heard as `code` or `incomplete`, and an Enter that is not
 * the scanner's as `⏎`.
 *
 * @param {(string | number)[]} keys
 * @param {{place?: import('../../barcodesvc/page/script/scanner/wedge.js').Place, pace?: typeof USUAL, ends?: boolean, isInserted?: boolean}} [how]
 */
function told(keys, { place = 'none', pace = USUAL, ends = false, isInserted = false } = {}) {
  /** @type {string[]} */
  const said = []
  const wedge = new Wedge(
    {
      scanned: (text) => said.push(`[${text}]`),
      typed: (text) => said.push(text),
      troubled: (trouble) => said.push(trouble),
    },
    { read: () => ends, store: (expects) => said.push(`expects ${expects}`) },
  )
  Object.assign(wedge, { place, pace })
  let [time, isPause] = [1000, false]
  for (const key of keys) {
    if (typeof key === 'number') {
      time += key
      isPause = true
      continue
    }
    for (const character of key) {
      if (!isPause) time += 5
      isPause = false
      if (character !== '⏎') wedge.type(character, time, isInserted)
      else if (!wedge.end(time)) said.push('⏎')
    }
  }
  wedge.flush(time + 1000)
  return said.join(' ')
}

/** Return `text` with as many milliseconds before each of its keys. @param {string} text @param {number} gap */
const slowly = (text, gap) => [...text].flatMap((key) => [gap, key])

/** The same as `told`, for a device whose scans end with Enter. @param {...(string | number)} keys */
const ended = (...keys) => told(keys, { ends: true })

test('keys as fast as a scanner types are a scan, which Enter or silence ends, wherever the focus is', () => {
  for (const place of /** @type {const} */ (['none', 'number', 'codes', 'text'])) {
    assert.equal(told(['4006381333931⏎'], { place }), 'expects true [4006381333931]')
    assert.equal(told(slowly('4006381333931', 49), { place }), '[4006381333931]')
    assert.equal(told(['A-1⏎'], { place }), 'expects true [A-1]')
  }
})

test('in a field for text a person may type up to five keys fast, and any number as fast as a person can', () => {
  for (const place of /** @type {const} */ (['codes', 'text'])) {
    assert.equal(told(['14400'], { place }), '')
    assert.equal(told(['144', 50, '⏎'], { place }), '⏎')
    assert.equal(told([...slowly('Sta', 40), ...slowly('pling', 70), '⏎'], { place }), '⏎')
    assert.equal(told(['ab⏎'], { place }), '⏎')
    assert.equal(told([...slowly('a quick brown fox', 60), 60, '⏎'], { place }), '⏎')
  }
  assert.equal(told(['14400']), '[14400]')
})

test('digits at a pace of a person are an amount, and so is what else a person types', () => {
  assert.equal(told([...slowly('4011', 120), 120, '⏎']), '4 0 1 1 ⏎')
  assert.equal(told(slowly('5-7', 600)), '5 - 7')
  assert.equal(told([' ', 300, '7']), '7')
  assert.equal(told(slowly('1,200 500', 150), { place: 'number' }), '1 , 2 0 0   5 0 0')
})

test('what no person types as an amount is a code, said once, with all that comes within 600 ms', () => {
  assert.equal(told(slowly('40123455', 119)), '4 code')
  assert.equal(told(slowly('4012', 70), { place: 'number' }), '4 code')
  assert.equal(told(['46', 599, '1', 600, '2']), 'code 2')
  assert.equal(told(slowly('H1', 599)), 'H code')
  assert.equal(told(slowly('1 1', 599)), '1 code')
  assert.equal(told(slowly('5-', 300)), '5 code')
  assert.equal(told(slowly('HB', 119)), 'H code')
  assert.equal(told(slowly('HB', 120)), 'H B')
})

test('an Enter quicker than a person, or behind a code, is the scanner’s', () => {
  assert.equal(told(['5', 119, '⏎']), '5 code expects true')
  assert.equal(told(['5', 120, '⏎']), '5 ⏎')
  assert.equal(told(['46', 599, '⏎', 10, '⏎']), 'code ⏎')
})

test('the Enter of a scan is also the scanner’s if it comes late, or twice, unless a person types before it', () => {
  assert.equal(told(['A-1', 300, '⏎']), '[A-1]')
  assert.equal(told(['A-1', 119, '⏎']), '[A-1] expects true')
  assert.equal(told(['A-1', 800, '⏎']), '[A-1] ⏎')
  assert.equal(told(['A-1⏎⏎']), 'expects true [A-1]')
  assert.equal(told(['A-1⏎', 500, '⏎']), 'expects true [A-1] ⏎')
  assert.equal(told(['4006381', 220, '7', 140, '⏎'], { place: 'text' }), '[4006381] ⏎')
})

test('a piece of a code that pauses up to 600 ms is neither a code nor an amount', () => {
  assert.equal(told(['HB-10', 130, '46⏎']), '[HB-10] code expects true')
  assert.equal(told(['HB-10', 599, '7', 599, '8']), '[HB-10] code')
  assert.equal(told(['HB-10', 600, '7']), '[HB-10] 7')
  assert.equal(told(['4', 599, '0638⏎']), '4 expects true incomplete')
  assert.equal(told(['4', 600, '0638⏎']), '4 expects true [0638]')
  assert.equal(told(['HB-10', 500, '4638⏎']), '[HB-10] expects true incomplete')
  assert.equal(told(['A-1', 300, 'B-2']), '[A-1] [B-2]')
})

test('where scans end with Enter, one may pause for 600 ms, and is incomplete without it', () => {
  assert.equal(ended('HB-10', 599, '46', 599, '⏎'), '[HB-1046]')
  assert.equal(ended('HB-10', 700), 'incomplete')
  assert.equal(told(['HB-1046', 599, '⏎'], { ends: true, place: 'text' }), '[HB-1046]')
})

test('the third scan in a row without an Enter is complete: it is another scanner’s', () => {
  assert.equal(ended('A-1', 700, 'A-1', 700, 'A-1', 700, 'A-1'), 'incomplete incomplete expects false [A-1] [A-1]')
  assert.equal(ended('A-1', 700, 'A-1', 700, 'A-1⏎', 700, 'A-1'), 'incomplete incomplete [A-1] incomplete')
})

test('more than the service accepts as a scan is none, and is not collected', () => {
  const most = 'A'.repeat(8192)
  for (const place of /** @type {const} */ (['none', 'number', 'codes', 'text'])) {
    assert.equal(told([`${most}⏎`], { place, ends: true }), `[${most}]`)
    assert.equal(told([`${most}A⏎`, 700, 'A-1⏎'], { place, ends: true }), 'incomplete [A-1]')
    assert.equal(told([`${most}A`], { place }), 'incomplete')
  }
  const wedge = new Wedge(
    { scanned: assert.fail, typed: () => undefined, troubled: () => undefined },
    { read: () => null, store: () => undefined },
  )
  for (let time = 0; time < 20_000; time += 1) wedge.type('7', time)
  assert.equal(wedge.run.length, 8193)
  const digits = told(slowly('7'.repeat(20_000), 120))
  assert.match(digits, /^(7 ){8192}code$/)
})

test('a slow scanner is heard with its setting, also with a pause in a code', () => {
  const code = slowly('A-1⏎', 120)
  for (const place of /** @type {const} */ (['none', 'codes', 'text'])) {
    assert.equal(told(code, { place, pace: SLOW }), 'expects true [A-1]')
    assert.equal(told(['4006', 300, '381333931⏎'], { place, pace: SLOW }), 'expects true [4006381333931]')
  }
  assert.equal(told(code, { place: 'text' }), '⏎')
  assert.equal(told(slowly('144', 130), { pace: SLOW }), '144')
})

test('in a field for text, words that come at once or at the pace of a slow scanner are a person’s without an Enter', () => {
  assert.equal(told(['weather '], { place: 'text', isInserted: true }), '')
  assert.equal(told(['weather ⏎'], { place: 'text', isInserted: true }), 'expects true [weather ]')
  assert.equal(told(['weather '], { place: 'codes', isInserted: true }), '[weather ]')
  assert.equal(told(slowly('a quick brown fox', 140), { place: 'text', pace: SLOW }), '')
})

test('a key that types nothing keeps those around it together', () => {
  /** @type {string[]} */
  const scans = []
  const wedge = new Wedge(
    { scanned: (text) => scans.push(text), typed: assert.fail, troubled: assert.fail },
    { read: () => null, store: () => undefined },
  )
  for (const [at, character] of [...'A-1'].entries()) {
    wedge.type(character, 1000 + 80 * at)
    wedge.hold(1040 + 80 * at)
  }
  wedge.interrupt() // a key of a person is not in the middle of a scan
  wedge.end(1240)
  assert.deepEqual(scans, ['A-1'])
})

test('a key or touch of a person ends an amount at once, but no code; what goes into a text is no part of either', () => {
  /** @type {string[]} */
  const said = []
  const wedge = new Wedge(
    { scanned: assert.fail, typed: (text) => said.push(text), troubled: (trouble) => said.push(trouble) },
    { read: () => null, store: () => undefined },
  )
  wedge.type('1', 1000)
  wedge.interrupt()
  assert.deepEqual(said, ['1'])
  wedge.type('H', 1300)
  wedge.type('B', 1370)
  wedge.interrupt()
  wedge.interrupt()
  wedge.type('7', 1500)
  wedge.flush(3000)
  wedge.place = 'text'
  wedge.type('A', 4000)
  wedge.type('1', 4060)
  wedge.flush(4200)
  wedge.place = 'none'
  wedge.type('5', 4300)
  wedge.flush(5000)
  assert.deepEqual(said, ['1', 'H', 'code', '5'])
})

test('a text that is inserted at once in a field for text is a person’s, unless Enter comes as fast as a scanner’s', () => {
  const inserted = /** @type {const} */ ({ place: 'text', ends: true, isInserted: true })
  for (const pause of [110, 250, 450]) assert.equal(told(['weather ', pause, '⏎'], inserted), '⏎')
  assert.equal(told(['4006381333931⏎'], inserted), '[4006381333931]')
})

test('spaces that press the focused button are no amount and no code, however soon they follow each other', () => {
  assert.equal(told([' ', 300, ' ', 300, ' ']), '')
  assert.equal(told([' ', 110, ' ']), '')
  assert.equal(told([' ', 300, '5']), '5')
})
