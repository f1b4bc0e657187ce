import assert from 'node:assert/strict'
import { test } from 'node:test'

import { ROUND, TurnedLooks, turnedBack } from '../../barcodesvc/page/script/scanner/turned_looks.js'

/** @param {number} degrees from the nearest right angle */
function fromRightAngle(degrees) {
  const turn = ((degrees % 90) + 90) % 90
  return Math.min(turn, 90 - turn)
}

test('a round of pictures has a look within 7.5 degrees of every angle', () => {
  const looks = new TurnedLooks()
  const turns = [0, ...Array.from({ length: ROUND }, () => looks.turns()).flat()]
  for (let angle = 0; angle < 180; angle++)
    assert.ok(
      turns.some((turn) => fromRightAngle(turn - angle) <= 7.5),
      `${angle} degrees`,
    )
})

test('the angle that showed a code is looked at again in the next picture, besides another one', () => {
  const looks = new TurnedLooks()
  looks.found(-45, false)
  assert.deepEqual(looks.turns(), [-45, 15])
  looks.found(15, false)
  assert.deepEqual(looks.turns(), [15, -15])
  looks.found(0, false)
  assert.deepEqual(looks.turns(), [45, 30])
})

test('a code in doubt is looked at next from nearly the same angle', () => {
  const looks = new TurnedLooks()
  looks.found(30, true)
  assert.deepEqual(looks.turns(), [34, 26])
  assert.deepEqual(looks.turns(), [15, -15])
})

test('a point of a turned copy is found in the picture', () => {
  const back = turnedBack({ x: 50, y: 90 }, 90, { width: 100, height: 80 })
  assert.deepEqual({ x: Math.round(back.x), y: Math.round(back.y) }, { x: 100, y: 40 })
  assert.deepEqual(turnedBack({ x: 7, y: 9 }, 0, { width: 100, height: 80 }), { x: 7, y: 9 })
})
