/**
 * The queue of bookings: write-ahead. A booking is stored before it is sent, and leaves the queue when the service has
 * responded, not when it was sent.
 *
 * Rule: a booking that is not known to be booked is sent again under the same idempotency key, so it counts once. What the
 * service refuses stays until a person decides. Storage and network are parameters, so that the rule is tested alone.
 */

import { Refusal, Unreachable } from '../api.js'
import { ageOf, asScan, newKey } from './booking.js'

/** Bookings in one request: the maximum for `POST /api/codes/scans`. */
const BATCH = 500

/** Pauses after failed attempts, in milliseconds. */
const PAUSES = [500, 1000, 2000, 5000]

/** A scan that books nothing, whether or not the service knows its product. */
const NOTHING = { code_data: '0', delta: 0 }

/** Temporary refusals: the booking keeps waiting. */
const PASSING = ['DATABASE_ERROR', 'GENERATION_ERROR', 'RATE_LIMIT_EXCEEDED']

/**
 * @typedef {import('./booking.js').Booking} Booking
 *
 * @typedef {object} Storage
 * @property {(booking: Omit<Booking, 'id'>) => Promise<Booking>} add stores it on disk, and assigns its id
 * @property {(ids: number[], change: (booking: Booking) => Booking) => Promise<Booking[]>} update changes them together
 * @property {(limit: number) => Promise<Booking[]>} unsettled those that wait, or whose undo does, oldest first
 *
 * @typedef {object} Service
 * @property {(scans: object[]) => Promise<any[]>} book returns an envelope for each
 * @property {(changeId: number, body: object) => Promise<any>} undo
 */

/**
 * Fires `change` with the changed bookings as its `detail`, `elsewhere` with those that another tab has changed, and
 * `pause` when it begins or ends to wait.
 */
export class Queue extends EventTarget {
  /**
   * @param {Storage} storage
   * @param {Service} service
   * @param {(milliseconds: number) => Promise<void>} pause waits this long, or until there is a reason to try again
   * @param {() => number} [now] the device's clock
   */
  constructor(storage, service, pause, now = Date.now) {
    super()
    this.storage = storage
    this.service = service
    this.pause = pause
    this.now = now
    /** When the service last responded, by that clock. */
    this.answered = -Infinity
    this.failures = 0
    /** Whether the last attempt failed. */
    this.paused = false
    /** Why no booking can be sent at present. @type {Refusal | Unreachable | null} */
    this.obstacle = null
    /** @type {Promise<void> | null} */
    this.sending = null
    /** Whether sending was requested since the storage was last read. */
    this.runAgain = false
    /** Keys of stored bookings whose `add` has not returned yet. @type {Set<string>} */
    this.untold = new Set()
  }

  /**
   * Store a booking, and send it as soon as possible.
   *
   * @param {Omit<Booking, 'id'>} made
   */
  async add(made) {
    this.untold.add(made.key)
    const booking = await this.storage.add(made)
    // once stored, it may be sent, and answered, before this reports it
    if (this.untold.delete(made.key)) this.changed([booking])
    this.sendSoon()
    return booking
  }

  /**
   * Take a booking back: one that was never sent is not sent, another is undone as soon as it is booked. A refused one
   * is discarded.
   *
   * @param {number} id
   * @param {string} [author] who takes it back
   */
  async undo(id, author = '') {
    await this.update([id], (booking) => {
      if (booking.undoKey || booking.state === 'undone') return booking
      if (booking.state === 'refused' || booking.sent === false) return { ...booking, state: 'undone' }
      return { ...booking, undoKey: newKey(), undoAuthor: author, problem: null }
    })
    this.sendSoon()
  }

  /**
   * Send a refused booking again. It keeps its key, so that it counts once even if another tab sends it too.
   *
   * @param {number} id
   * @param {string} [code] of the product that was created for it, if that is not the scanned text
   */
  async retry(id, code) {
    await this.update([id], (booking) => waitingAgain(booking, code))
    this.sendSoon()
  }

  /**
   * Send refused bookings again.
   *
   * @param {number[]} ids
   */
  async retryAll(ids) {
    await this.update(ids, (booking) => waitingAgain(booking))
    this.sendSoon()
  }

  /**
   * Discard refused bookings.
   *
   * @param {number[]} ids
   */
  async discardAll(ids) {
    await this.update(ids, (booking) => (booking.state === 'refused' ? undone(booking) : booking))
  }

  /** Send what waits until nothing does; calls made meanwhile wait for the same. */
  send() {
    this.runAgain = true
    this.sending ??= this.sendAll().finally(() => (this.sending = null))
    return this.sending
  }

  /** Send without waiting; if the storage fails now, it is tried again with the next booking. */
  sendSoon() {
    this.send().catch((error) => console.warn(error))
  }

  async sendAll() {
    while (this.runAgain) {
      this.runAgain = false
      const unsettled = await this.storage.unsettled(BATCH)
      const waiting = unsettled.filter(({ state }) => state === 'waiting')
      const toUndo = unsettled.filter(({ state }) => state === 'booked')
      if (!unsettled.length) {
        this.resetBackoff()
        continue
      }
      this.runAgain = true
      try {
        if (waiting.length) await this.book(waiting)
        for (const booking of toUndo) await this.takeBack(booking)
        this.resetBackoff()
      } catch (error) {
        await this.waitAfter(error)
      }
    }
    this.sending = null
  }

  /** @param {Booking[]} waiting */
  async book(waiting) {
    const ids = waiting.map(({ id }) => id)
    // stored before the request, so that an undo knows that it may be counted
    const marked = await this.storage.update(ids, (one) => (one.state === 'waiting' ? { ...one, sent: true } : one))
    const ready = marked.filter(({ state }) => state === 'waiting')
    if (ready.length) await this.bookMarked(ready)
  }

  /**
   * Send bookings. If the request as a whole is refused, for example as too long, its halves are sent, and in the end each
   * booking alone: one that can never be sent does not block the others.
   *
   * @param {Booking[]} marked
   */
  async bookMarked(marked) {
    const envelopes = await this.envelopesOf(marked)
    if (envelopes) return this.settle(marked, envelopes)
    const half = marked.length >> 1
    await this.bookMarked(marked.slice(0, half))
    await this.bookMarked(marked.slice(half))
  }

  /**
   * Return the envelope of each booking, or null if the request as a whole is refused because of one of them. If a request
   * that books nothing is refused too, the fault is in between, such as in a proxy, and temporary.
   *
   * @param {Booking[]} marked
   * @returns {Promise<any[] | null>}
   * @throws {Refusal | Unreachable} an error that says nothing about the bookings
   */
  async envelopesOf(marked) {
    try {
      const now = this.now()
      const envelopes = await this.service.book(
        marked.map((booking) => asScan(booking, ageOf(booking.scannedAt, now, this.answered))),
      )
      this.answered = this.now()
      if (Array.isArray(envelopes) && envelopes.length === marked.length) return envelopes
    } catch (error) {
      if (!(error instanceof Refusal) || isTransient(error)) throw error
      await this.service.book([NOTHING])
      return marked.length === 1 ? [problemOf(error)] : null
    }
    throw new Unreachable('no response for each booking')
  }

  /**
   * @param {Booking[]} marked
   * @param {any[]} envelopes
   */
  async settle(marked, envelopes) {
    const envelopeOf = new Map(marked.map(({ id }, index) => [id, envelopes[index]]))
    marked.forEach(({ key }) => this.untold.delete(key))
    await this.update([...envelopeOf.keys()], (booking) => settled(booking, envelopeOf.get(booking.id)))
    if (envelopes.some(isInconclusive)) throw new Unreachable('some bookings wait on')
  }

  /** @param {Booking} booking */
  async takeBack({ id, undoKey, undoAuthor, author, result }) {
    const person = undoAuthor || author
    const body = {
      idempotency_key: undoKey,
      ...(person ? { updated_by: person } : {}),
      ...(result?.changedAt ? { updated_at: result.changedAt } : {}),
    }
    try {
      await this.service.undo(result?.changeId ?? 0, body)
      await this.update([id], undone)
    } catch (error) {
      if (!(error instanceof Refusal) || isTransient(error)) throw error
      const already = error.details.reason === 'already_undone'
      await this.update([id], already ? undone : (booking) => ({ ...booking, undoKey: '', problem: problemOf(error) }))
    }
  }

  /** @param {unknown} error */
  async waitAfter(error) {
    const usual = PAUSES[Math.min(this.failures, PAUSES.length - 1)] ?? 0
    const requested = error instanceof Refusal ? error.retryAfter * 1000 : 0
    this.failures += 1
    if (!(error instanceof Refusal || error instanceof Unreachable)) console.warn(error)
    this.setPaused(true, error instanceof Refusal || error instanceof Unreachable ? error : null)
    await this.pause(Math.max(usual, requested))
  }

  resetBackoff() {
    this.failures = 0
    this.setPaused(false)
  }

  /**
   * @param {boolean} paused
   * @param {Refusal | Unreachable | null} [obstacle]
   */
  setPaused(paused, obstacle = null) {
    if (paused === this.paused && obstacle?.message === this.obstacle?.message) return
    this.paused = paused
    this.obstacle = obstacle
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
 * @param {Booking} booking
 * @param {string} [code]
 * @returns {Booking}
 */
function waitingAgain(booking, code = booking.code) {
  return booking.state === 'refused' ? { ...booking, code, state: 'waiting', problem: null } : booking
}

/**
 * Whether a refusal says nothing about the bookings: it is temporary, or ends when the key is entered.
 *
 * @param {Refusal} error
 */
function isTransient(error) {
  return PASSING.includes(error.code) || error.status === 401 || error.status >= 500
}

/**
 * Whether a response leaves a booking waiting.
 *
 * @param {any} envelope the response for it
 */
function isInconclusive(envelope) {
  return !envelope || PASSING.includes(envelope.code)
}

/**
 * Return a booking as the service's response leaves it. One without a response, or with a temporary refusal, keeps
 * waiting; one that a person took back meanwhile is undone; one that already has a result keeps it, because another tab
 * may have sent it too.
 *
 * @param {Booking} booking
 * @param {any} envelope the response for it
 * @returns {Booking}
 */
function settled(booking, envelope) {
  if (booking.result || isInconclusive(envelope)) return booking
  if (envelope.success) {
    const undoKey = booking.state === 'undone' ? newKey() : booking.undoKey
    return { ...booking, state: 'booked', undoKey, result: resultOf(envelope.data), problem: null }
  }
  return booking.undoKey || booking.state === 'undone'
    ? undone(booking)
    : { ...booking, state: 'refused', problem: problemOf(envelope) }
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
    changedAt: change?.updated_at ?? '',
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
