import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Agreement, ROUND, TurnedLooks } from '../../barcodesvc/page/script/camera/looks.js'

/**
 * Return a reading of a code of 200 pixels.
 *
 * @param {string} text
 * @param {object} [how]
 * @param {string} [how.type]
 * @param {number} [how.height] of its lines
 * @param {number} [how.degrees]
 * @param {number} [how.x]
 */
function reading(text, { type = 'ITF', height = 100, degrees = 0, x = 0 } = {}) {
  const position = [
    { x, y: 0 },
    { x: x + 200, y: 0 },
    { x: x + 200, y: height },
    { x, y: height },
  ]
  return { text, type, position, degrees }
}

/**
 * Return the texts of the last of these pictures.
 *
 * @param {...ReturnType<typeof reading>[]} pictures
 */
function last(...pictures) {
  const agreement = new Agreement()
  return pictures.map((readings) => agreement.codes(readings).map(({ text }) => text)).at(-1)
}

const LOW = { height: 4, type: 'Code39' }

test('a code that many lines have read counts at once, and so does a matrix code', () => {
  assert.deepEqual(last([reading('12345670')]), ['12345670'])
  assert.deepEqual(last([reading('A', { type: 'QRCode', height: 4 })]), ['A'])
})

test('a linear code that few lines have read counts once looks from two angles agree, after all angles', () => {
  const [one, other] = [reading('1234', LOW), reading('1234', { ...LOW, degrees: 4 })]
  assert.deepEqual(last([one]), [])
  assert.deepEqual(last([one, other]), [])
  assert.deepEqual(last(...Array.from({ length: 9 }, () => [one])), [])
  assert.deepEqual(last([one, other], ...Array.from({ length: ROUND }, () => [one])), ['1234'])
})

test('few lines never suffice for what lines at a slant show within other codes', () => {
  for (const type of ['ITF', 'Codabar', 'EAN8', 'UPCE']) {
    const parts = [reading('123456', { ...LOW, type }), reading('123456', { ...LOW, type, degrees: 4 })]
    assert.deepEqual(last(...Array.from({ length: 9 }, () => parts)), [])
  }
})

test('a long code of any length is low for its width, and counts', () => {
  assert.deepEqual(last([reading('1'.repeat(28), { height: 10 })]), ['1'.repeat(28)])
  assert.deepEqual(last([reading('12345670', { height: 10 })]), [])
})

test('the whole code at the same place prevails over its part', () => {
  const part = [reading('1234', LOW), reading('1234', { ...LOW, degrees: 4 })]
  const whole = reading('12345670', { degrees: 30 })
  assert.deepEqual(last(part, [whole], part, part, part), [])
  const low = [reading('12345670', LOW), reading('12345670', { ...LOW, degrees: 34 })]
  assert.deepEqual(last([...part, ...low], part, part, [...part, ...low]), ['12345670'])
  assert.deepEqual(last(part, [reading('12345670', { x: 500 })], part, part, part), ['1234'])
})

test('a text is one code in a picture, where most lines have read it', () => {
  const [high, lower] = [reading('12345670'), reading('12345670', { degrees: 15, height: 50 })]
  for (const readings of [
    [high, lower],
    [lower, high],
  ])
    assert.deepEqual(
      new Agreement().codes(readings).map(({ position }) => position),
      [high.position],
    )
})

test('an add-on does not make its number doubtful, and both confirm each other', () => {
  const [number, issue] = ['9771234567003', '9771234567003+05']
  const [many, few] = [{ type: 'EAN13' }, { type: 'EAN13', height: 2 }]
  assert.deepEqual(last([reading(issue, { type: 'EAN13', height: 12 })]), [issue])
  assert.deepEqual(last([reading(number, many), reading(issue, { ...few, degrees: 4 })]), [issue])
  const both = [reading(number, few), reading(issue, { ...few, degrees: 4 })]
  assert.deepEqual(last(...Array.from({ length: ROUND + 1 }, () => both)), [issue])
})

/** @param {number} degrees from the nearest right angle */
function fromRightAngle(degrees) {
  const turn = ((degrees % 90) + 90) % 90
  return Math.min(turn, 90 - turn)
}

/**
 * Return the turns of a round of pictures.
 *
 * @param {(looks: TurnedLooks, turn: number) => void} see called after each look
 */
function roundOf(see) {
  const looks = new TurnedLooks()
  const round = Array.from({ length: ROUND }, () => {
    const turns = looks.turns()
    for (const turn of turns) see(looks, turn)
    return turns
  })
  return [0, ...round.flat()]
}

test('a round of pictures has a look within 7.5 degrees of every angle, whatever is found meanwhile', () => {
  const nothing = roundOf(() => {})
  const [doubts, codes] = [true, false].map((isDoubtful) => roundOf((looks, turn) => looks.found(turn, isDoubtful)))
  for (const turns of [nothing, doubts ?? [], codes ?? []])
    for (let angle = 0; angle < 180; angle++)
      assert.ok(
        turns.some((turn) => fromRightAngle(turn - angle) <= 7.5),
        `${angle} degrees`,
      )
})

test('the angle that showed a code is looked at again in the next picture, besides two others', () => {
  const looks = new TurnedLooks()
  looks.found(-45, false)
  assert.deepEqual(looks.turns(), [-45, 15, -15])
  looks.found(45, false)
  assert.deepEqual(looks.turns(), [45, 30])
  looks.found(0, false)
  assert.deepEqual(looks.turns(), [-30, 15])
})

test('a code in doubt is looked at next from nearly the same angles, and from no others because of these', () => {
  const looks = new TurnedLooks()
  looks.found(30, true)
  assert.deepEqual(looks.turns(), [34, 15, -15])
  looks.found(34, true)
  assert.deepEqual(looks.turns(), [26, 45, 30])
  assert.deepEqual(looks.turns(), [-30, 15])
})
