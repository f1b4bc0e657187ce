/**
 * The queue of bookings: write-ahead. A booking is stored before it goes anywhere, and leaves the queue when the
 * service has answered, not when it was sent.
 *
 * Rule: whatever is not known to be booked is sent again under the same idempotency key, so it counts once. What the
 * service refuses stays, until somebody decides. Storage and network are given, so that the rule is tested by itself.
 */

import { Refusal, Unreachable } from '../api.js'
import { asScan, newKey } from './booking.js'

/** Bookings in one request: the most that `POST /api/codes/scans` takes. */
const BATCH = 500

/** Pauses after attempts that came to nothing, in milliseconds. */
const PAUSES = [1000, 2000, 5000, 10_000, 30_000]

/** Refusals of one booking that pass by themselves: it waits on. */
const PASSING = ['DATABASE_ERROR', 'GENERATION_ERROR', 'RATE_LIMIT_EXCEEDED']

/**
 * @typedef {import('./booking.js').Booking} Booking
 *
 * @typedef {object} Storage
 * @property {(booking: Omit<Booking, 'id'>) => Promise<Booking>} add stores it, on the disk, and gives its id
 * @property {(ids: number[], change: (booking: Booking) => Booking) => Promise<Booking[]>} update changes them at once
 * @property {(limit: number) => Promise<Booking[]>} unsettled those that wait, or whose undoing does, the oldest first
 *
 * @typedef {object} Service
 * @property {(scans: object[]) => Promise<any[]>} book answers an envelope for each
 * @property {(changeId: number, body: object) => Promise<any>} undo
 */

/** Fires `change` with the booking that has changed as its `detail`, and `pause` with milliseconds, or 0 when it goes on. */
export class Queue extends EventTarget {
  /**
   * @param {Storage} storage
   * @param {Service} service
   * @param {(milliseconds: number) => Promise<void>} pause waits so long, or until there is a reason to try again
   */
  constructor(storage, service, pause) {
    super()
    this.storage = storage
    this.service = service
    this.pause = pause
    this.failures = 0
    /** @type {Promise<void> | null} */
    this.sending = null
    /** @type {Set<number>} bookings of this visit that were in no request yet */
    this.unsent = new Set()
  }

  /**
   * Store a booking, and send it as soon as that can be.
   *
   * @param {Omit<Booking, 'id'>} made
   */
  async add(made) {
    const booking = await this.storage.add(made)
    this.unsent.add(booking.id)
    this.changed([booking])
    void this.send()
    return booking
  }

  /**
   * Take a booking back: one that was never sent is not sent, another is undone as soon as it is booked.
   *
   * @param {number} id
   */
  async undo(id) {
    await this.update([id], (booking) => {
      if (booking.undoKey || booking.state === 'undone') return booking
      if (booking.state === 'refused' || this.unsent.has(id)) return { ...booking, state: 'undone' }
      return { ...booking, undoKey: newKey() }
    })
    void this.send()
  }

  /**
   * Send a refused booking again.
   *
   * @param {number} id
   */
  async retry(id) {
    await this.update([id], (booking) =>
      booking.state === 'refused' ? { ...booking, state: 'waiting', problem: null, key: newKey() } : booking,
    )
    void this.send()
  }

  /** Send what waits until nothing does; whoever calls while that goes on waits for the same. */
  send() {
    this.sending ??= this.sendAll().finally(() => (this.sending = null))
    return this.sending
  }

  async sendAll() {
    for (;;) {
      const unsettled = await this.storage.unsettled(BATCH)
      const waiting = unsettled.filter(({ state }) => state === 'waiting')
      const unwanted = unsettled.filter(({ state }) => state === 'booked')
      if (!unsettled.length) return
      try {
        if (waiting.length) await this.book(waiting)
        for (const booking of unwanted) await this.takeBack(booking)
        this.failures = 0
      } catch (error) {
        await this.waitAfter(error)
      }
    }
  }

  /** @param {Booking[]} waiting */
  async book(waiting) {
    waiting.forEach(({ id }) => this.unsent.delete(id))
    const answers = await this.service.book(waiting.map(asScan))
    const answerOf = new Map(waiting.map(({ id }, index) => [id, answers[index]]))
    const settled = await this.update([...answerOf.keys()], (booking) => settle(booking, answerOf.get(booking.id)))
    if (settled.some(({ state }) => state === 'waiting')) throw new Unreachable('some bookings wait on')
  }

  /** @param {Booking} booking */
  async takeBack({ id, undoKey, author, result }) {
    const body = { idempotency_key: undoKey, ...(author ? { updated_by: author } : {}) }
    try {
      await this.service.undo(result?.changeId ?? 0, body)
      await this.update([id], (booking) => ({ ...booking, undoKey: '', state: 'undone', problem: null }))
    } catch (error) {
      if (!(error instanceof Refusal) || PASSING.includes(error.code) || error.status === 401) throw error
      await this.update([id], (booking) => ({ ...booking, undoKey: '', problem: problemOf(error) }))
    }
  }

  /** @param {unknown} error */
  async waitAfter(error) {
    const usual = PAUSES[Math.min(this.failures, PAUSES.length - 1)] ?? 0
    const asked = error instanceof Refusal ? error.retryAfter * 1000 : 0
    this.failures += 1
    if (!(error instanceof Refusal || error instanceof Unreachable)) console.warn(error)
    this.dispatchEvent(new CustomEvent('pause', { detail: Math.max(usual, asked) }))
    await this.pause(Math.max(usual, asked))
    this.dispatchEvent(new CustomEvent('pause', { detail: 0 }))
  }

  /**
   * @param {number[]} ids
   * @param {(booking: Booking) => Booking} change
   */
  async update(ids, change) {
    const updated = await this.storage.update(ids, change)
    this.changed(updated)
    return updated
  }

  /** @param {Booking[]} bookings */
  changed(bookings) {
    for (const booking of bookings) this.dispatchEvent(new CustomEvent('change', { detail: booking }))
  }
}

/**
 * Return a booking as the service's answer leaves it; one without an answer, or with a passing refusal, waits on.
 *
 * @param {Booking} booking
 * @param {any} answer an envelope
 * @returns {Booking}
 */
function settle(booking, answer) {
  if (answer?.success) return { ...booking, state: 'booked', result: resultOf(answer.data), problem: null }
  if (!answer || PASSING.includes(answer.code)) return booking
  const state = booking.undoKey ? 'undone' : 'refused'
  return { ...booking, undoKey: '', state, problem: problemOf(answer) }
}

/**
 * @param {any} data of a counted scan
 * @returns {import('./booking.js').Result}
 */
function resultOf({ product, change }) {
  return {
    productId: product.id,
    productCode: product.product_code,
    description: product.description,
    changeId: change.id,
    oldLevel: change.old_level,
    newLevel: change.new_level,
  }
}

/**
 * @param {import('./booking.js').Problem} error
 * @returns {import('./booking.js').Problem}
 */
function problemOf({ code, message, details }) {
  return { code, message, details }
}
