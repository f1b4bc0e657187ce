import assert from 'node:assert/strict'
import { test } from 'node:test'

import { ROUND, TurnedLooks, turnedBack } from '../../barcodesvc/page/script/camera/turned_looks.js'

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

test('a point of a turned copy is found in the picture', () => {
  const back = turnedBack({ x: 50, y: 90 }, 90, { width: 100, height: 80 })
  assert.deepEqual({ x: Math.round(back.x), y: Math.round(back.y) }, { x: 100, y: 40 })
  assert.deepEqual(turnedBack({ x: 7, y: 9 }, 0, { width: 100, height: 80 }), { x: 7, y: 9 })
})
