import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import {
  confirm,
  end,
  newSession,
  scan,
  takeBack,
  takesAmount,
  addDigits,
} from '../../barcodesvc/page/script/scan/session.js'
import { listen } from '../../barcodesvc/page/script/scanner/listener.js'
import { sequence } from './simulated_hands.js'

const SEQUENCES = 20_000
const STEPS = 6

/** A clock that jumps, with its timers. */
class Clock {
  now = 0
  /** @type {Map<number, {due: number, run: () => void}>} */
  timers = new Map()
  #last = 0

  /** @param {() => void} run @param {number} delay */
  set(run, delay) {
    this.timers.set(++this.#last, { due: this.now + delay, run })
    return this.#last
  }

  /** @param {number} time */
  advance(time) {
    for (;;) {
      const due = Math.min(...[...this.timers.values()].map((timer) => timer.due))
      if (due > time) break
      for (const [id, timer] of this.timers) {
        if (timer.due !== due) continue
        this.timers.delete(id)
        this.now = due
        timer.run()
      }
    }
    this.now = time
  }
}

const clock = new Clock()
/** @type {Record<string, (event: unknown) => void>} */
let heard = {}
class Field {}

Object.assign(globalThis, {
  window: { addEventListener: (/** @type {string} */ type, /** @type {() => void} */ run) => (heard[type] = run) },
  document: { activeElement: null },
  HTMLInputElement: Field,
  HTMLTextAreaElement: Field,
  HTMLSelectElement: Field,
  setTimeout: (/** @type {() => void} */ run, /** @type {number} */ delay) => clock.set(run, delay),
  clearTimeout: (/** @type {number} */ timer) => clock.timers.delete(timer),
})
performance.now = () => clock.now

/** The start view without its screen: what a person has typed for it, and what it books. */
class Desk {
  /** @param {import('../../barcodesvc/page/script/types.js').Mode} mode */
  constructor(mode) {
    heard = {}
    this.session = newSession(mode)
    /** Digits that a person has typed and nothing has used yet. */
    this.owed = ''
    this.counted = 0
    listen({
      scanned: (code) => {
        this.book(scan(this.session, code).book)
        this.session.product.value = code
        // in a look-up an amount is for the product on the panel
        if (this.session.mode.value === 'look-up') this.owed = ''
      },
      typed: (text) => this.type(text),
      troubled: (_, typed) => takeBack(this.session, typed.replace(/\D/g, '').length),
    })
  }

  /** @param {import('../../barcodesvc/page/script/types.js').Change[]} changes */
  book(changes) {
    for (const { delta, level } of changes) {
      const amount = Math.abs(delta ?? level ?? NaN)
      assert.equal(amount, Number(this.owed || '1'), 'the amount is what a person typed')
      if (this.owed) this.counted += 1
      this.owed = ''
    }
  }

  /** @param {import('./simulated_hands.js').Press} press */
  press({ at, key, hand }) {
    clock.advance(at)
    if (hand === 'person') this.owe(key)
    let isStopped = false
    const stop = () => (isStopped = true)
    const event = { key, code: key, timeStamp: at, getModifierState: () => false, preventDefault: stop }
    heard['keydown']?.({ ...event, stopImmediatePropagation: stop })
    heard['keyup']?.(event)
    if (key === 'Enter' && !isStopped) this.enter()
    if (key === 'Enter' && hand === 'person') assert.ok(!isStopped, 'an Enter of a person counts')
  }

  /** @param {string} text */
  type(text) {
    const kind = addDigits(this.session, text)
    if (kind === 'code') this.owed = '' // which is said
    return kind !== 'other'
  }

  /** @param {string} key */
  owe(key) {
    if (/\d/.test(key) && takesAmount(this.session)) this.owed += key
  }

  enter() {
    const ended = end(this.session)
    if (ended === 'confirm') this.book(confirm(this.session).book)
    if (ended === 'unused') this.owed = ''
  }
}

test('no amount is booked that no person typed, and every one that was typed counts', () => {
  let counted = 0
  for (let seed = 1; seed <= SEQUENCES; seed += 1) {
    const { mode, presses } = sequence(seed, STEPS)
    const desk = new Desk(mode)
    try {
      presses.forEach((press, index) => {
        desk.press(press)
        const next = presses[index + 1]
        if (press.hand === 'scanner' || next?.hand === 'person') return
        clock.advance(press.at + 740)
        assert.equal(Number(desk.session.typed.value), Number(desk.owed), 'what a person typed is the amount')
      })
    } catch (error) {
      const keys = presses.map(({ at, key, hand }) => `${Math.round(at)} ${hand} ${key}`)
      throw new Error(
        `${error instanceof Error && error.stack?.split('\n').slice(0, 6).join('|')} sequence ${seed}, ${mode}: ${keys.join(', ')}`,
        { cause: error },
      )
    }
    clock.advance(clock.now + 5000)
    counted += desk.counted
    clock.now = 0
    clock.timers.clear()
  }
  assert.ok(counted > SEQUENCES / 2, 'the amounts reach bookings')
})
