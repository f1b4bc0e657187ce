/**
 * The queue of bookings: write-ahead. A booking is stored before it goes anywhere, and leaves the queue when the
 * service has answered, not when it was sent.
 *
 * Rule: whatever is not known to be booked is sent again under the same idempotency key, so it counts once. What the
 * service refuses stays, until somebody decides. Storage and network are given, so that the rule is tested by itself.
 */

import { Refusal, Unreachable } from '../api.js'
import { serviceClock } from '../service_clock.js'
import { asScan, newKey, timed } from './booking.js'

/** Bookings in one request: the most that `POST /api/codes/scans` takes. */
const BATCH = 500

/** Pauses after attempts that came to nothing, in milliseconds. */
const PAUSES = [500, 1000, 2000, 5000]

/** Refusals that pass by themselves: a booking waits on. */
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

/**
 * Fires `change` with the bookings that have changed as its `detail`, `elsewhere` with those that another tab has changed,
 * and `pause` when it begins or ends to wait.
 */
export class Queue extends EventTarget {
  /**
   * @param {Storage} storage
   * @param {Service} service
   * @param {(milliseconds: number) => Promise<void>} pause waits so long, or until there is a reason to try again
   * @param {import('../service_clock.js').ServiceClock} [clock]
   */
  constructor(storage, service, pause, clock = serviceClock) {
    super()
    this.storage = storage
    this.service = service
    this.pause = pause
    this.clock = clock
    this.failures = 0
    /** Whether the last attempt came to nothing. */
    this.paused = false
    /** @type {Promise<void> | null} */
    this.sending = null
    /** Whether somebody asked to send since the storage was last looked at. */
    this.asked = false
    /** Keys of the bookings of this visit that were in no request yet. @type {Set<string>} */
    this.unsent = new Set()
  }

  /**
   * Store a booking, and send it as soon as that can be; its time is the service's, if that is known.
   *
   * @param {Omit<Booking, 'id'>} made
   */
  async add(made) {
    this.unsent.add(made.key)
    const booking = await this.storage.add(this.clock.known ? timed(made, this.clock) : made)
    // one that is stored may be sent, and answered, before this is told
    if (this.unsent.has(made.key)) this.changed([booking])
    this.sendSoon()
    return booking
  }

  /**
   * Take a booking back: one that was never sent is not sent, another is undone as soon as it is booked. A refused one
   * is dropped.
   *
   * @param {number} id
   */
  async undo(id) {
    await this.update([id], (booking) => {
      if (booking.undoKey || booking.state === 'undone') return booking
      if (booking.state === 'refused' || this.unsent.has(booking.key)) return { ...booking, state: 'undone' }
      return { ...booking, undoKey: newKey(), problem: null }
    })
    this.sendSoon()
  }

  /**
   * Send a refused booking again. It keeps its key, so that it counts once whoever else sends it.
   *
   * @param {number} id
   */
  async retry(id) {
    await this.update([id], (booking) =>
      booking.state === 'refused' ? { ...booking, state: 'waiting', problem: null } : booking,
    )
    this.sendSoon()
  }

  /** Send what waits until nothing does; whoever calls while that goes on waits for the same. */
  send() {
    this.asked = true
    this.sending ??= this.sendAll().finally(() => (this.sending = null))
    return this.sending
  }

  /** Send without waiting; a storage that fails now is asked again with the next booking. */
  sendSoon() {
    this.send().catch((error) => console.warn(error))
  }

  async sendAll() {
    while (this.asked) {
      this.asked = false
      const unsettled = await this.storage.unsettled(BATCH)
      const waiting = unsettled.filter(({ state }) => state === 'waiting')
      const unwanted = unsettled.filter(({ state }) => state === 'booked')
      if (!unsettled.length) {
        this.went()
        continue
      }
      this.asked = true
      try {
        if (waiting.length) await this.book(waiting)
        for (const booking of unwanted) await this.takeBack(booking)
        this.went()
      } catch (error) {
        await this.waitAfter(error)
      }
    }
    this.sending = null
  }

  /** @param {Booking[]} waiting */
  async book(waiting) {
    waiting.forEach(({ key }) => this.unsent.delete(key))
    const answers = await this.answersTo(waiting)
    const answerOf = new Map(waiting.map(({ id }, index) => [id, answers[index]]))
    await this.update([...answerOf.keys()], (booking) => {
      const answer = answerOf.get(booking.id)
      return isUntimely(booking, answer) ? timed(booking, this.clock) : settle(booking, answer)
    })
    if (answers.some(saysNothing)) throw new Unreachable('some bookings wait on')
  }

  /**
   * Return the envelope of each booking. Where the request as a whole is refused, as one that is too long, its halves
   * are sent, and at last each booking alone: one that can never be sent holds up no other.
   *
   * @param {Booking[]} waiting
   * @returns {Promise<any[]>}
   */
  async answersTo(waiting) {
    try {
      const answers = await this.service.book(waiting.map(asScan))
      if (!Array.isArray(answers) || answers.length !== waiting.length)
        throw new Unreachable('no answer to each booking')
      return answers
    } catch (error) {
      if (!(error instanceof Refusal) || passes(error)) throw error
      if (waiting.length === 1) return [problemOf(error)]
    }
    const half = waiting.length >> 1
    const first = await this.answersTo(waiting.slice(0, half))
    return [...first, ...(await this.answersTo(waiting.slice(half)))]
  }

  /** @param {Booking} booking */
  async takeBack({ id, undoKey, author, result }) {
    const body = { idempotency_key: undoKey, ...(author ? { updated_by: author } : {}) }
    try {
      await this.service.undo(result?.changeId ?? 0, body)
      await this.update([id], undone)
    } catch (error) {
      if (!(error instanceof Refusal) || passes(error)) throw error
      const already = Boolean(error.details?.undone_by)
      await this.update([id], already ? undone : (booking) => ({ ...booking, undoKey: '', problem: problemOf(error) }))
    }
  }

  /** @param {unknown} error */
  async waitAfter(error) {
    const usual = PAUSES[Math.min(this.failures, PAUSES.length - 1)] ?? 0
    const asked = error instanceof Refusal ? error.retryAfter * 1000 : 0
    this.failures += 1
    if (!(error instanceof Refusal || error instanceof Unreachable)) console.warn(error)
    this.told(true)
    await this.pause(Math.max(usual, asked))
  }

  went() {
    this.failures = 0
    this.told(false)
  }

  /** @param {boolean} paused */
  told(paused) {
    if (paused === this.paused) return
    this.paused = paused
    this.dispatchEvent(new CustomEvent('pause', { detail: paused }))
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
    this.dispatchEvent(new CustomEvent('change', { detail: bookings }))
  }
}

/**
 * Whether a refusal says nothing of the bookings: it passes by itself, or with the key that is asked for.
 *
 * @param {Refusal} error
 */
function passes(error) {
  return PASSING.includes(error.code) || error.status === 401 || error.status >= 500
}

/**
 * Whether an answer leaves a booking waiting.
 *
 * @param {any} answer an envelope
 */
function saysNothing(answer) {
  return !answer || PASSING.includes(answer.code)
}

/**
 * Whether the service refuses the time of a booking that is by the device's clock. That was never booked: what has been
 * is answered by its key, whatever its time.
 *
 * @param {Booking} booking
 * @param {any} answer an envelope
 */
function isUntimely(booking, answer) {
  const errors = answer?.details?.errors ?? []
  if (booking.timed || booking.undoKey || booking.state !== 'waiting') return false
  return errors.some((/** @type {any} */ each) => each.field === 'scanned_at')
}

/**
 * Return a booking as the service's answer leaves it. One without an answer, or with a passing refusal, waits on; one
 * that somebody took back while its answer was under way is undone; one that has a result already keeps it, for
 * another tab may have sent it too.
 *
 * @param {Booking} booking
 * @param {any} answer an envelope
 * @returns {Booking}
 */
function settle(booking, answer) {
  if (booking.result || saysNothing(answer)) return booking
  if (answer.success) {
    const undoKey = booking.state === 'undone' ? newKey() : booking.undoKey
    return { ...booking, state: 'booked', undoKey, result: resultOf(answer.data), problem: null }
  }
  return booking.undoKey || booking.state === 'undone'
    ? undone(booking)
    : { ...booking, state: 'refused', problem: problemOf(answer) }
}

/**
 * @param {Booking} booking
 * @returns {Booking}
 */
function undone(booking) {
  return { ...booking, undoKey: '', state: 'undone', problem: null }
}

/**
 * @param {any} data of a counted scan
 * @returns {import('./booking.js').Result}
 */
function resultOf({ product, inventory, change }) {
  return {
    productId: product.id,
    productCode: product.product_code,
    description: product.description,
    changeId: change?.id ?? 0,
    oldLevel: change?.old_level ?? inventory?.current_level ?? 0,
    newLevel: change?.new_level ?? inventory?.current_level ?? 0,
  }
}

/**
 * @param {import('./booking.js').Problem} error
 * @returns {import('./booking.js').Problem}
 */
function problemOf({ code, message, details }) {
  return { code, message, details }
}
