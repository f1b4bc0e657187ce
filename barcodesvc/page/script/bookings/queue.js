/**
 * The queue of bookings: write-ahead. A booking is stored before it is sent, and leaves the queue when the service has
 * responded, not when it was sent.
 *
 * Rule: a booking that is not known to be booked is sent again under the same idempotency key, so it counts once. What the
 * service refuses stays until a person decides. Several tabs may send the same bookings at the same time: this costs a
 * request, and each still counts once. Storage and network are parameters, so that the rule is tested alone.
 */

import { ask, Refusal, Unreachable } from '../api.js'
import { rememberLevels } from '../catalogue/copy.js'
import { ageOf, asScan, isInconclusive, PASSING, problemOf, settled, undone } from './booking.js'
import { BookingStorage } from './storage.js'

/** @typedef {import('../types.js').Booking} Booking */
/** @typedef {Pick<BookingStorage, 'add' | 'update' | 'unsettled'>} Storage */
/** @typedef {{book: (scans: object[]) => Promise<any[]>, undo: (changeId: number, body: object) => Promise<any>}} Service `book` returns an envelope for each */

/** Bookings in one request: the maximum for `POST /api/codes/scans`. */
const BATCH = 500

/** Pauses after failed attempts, in milliseconds, and after all others. */
const PAUSES = [500, 1000, 2000]
const LONGEST = 5000

/** A scan that books nothing, whether or not the service knows its product. */
const NOTHING = { code_data: '0', delta: 0 }

/** Events after which the page tries again at once: the network is back, or a person looks at the page. */
const REASONS = /** @type {const} */ (['online', 'focus', 'pageshow', 'visibilitychange'])

/**
 * Fires `change` with the changed bookings as its `detail`, `elsewhere` with those that another tab has changed, and
 * `pause` when it begins or ends to wait.
 */
export class Queue extends EventTarget {
  /** @param {Storage} storage @param {Service} service @param {(milliseconds: number) => Promise<void>} pause waits this long, or until there is a reason to try again @param {() => number} [now] the device's clock */
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

  /** Store a booking, and send it as soon as possible. @param {import('../types.js').NewBooking} made */
  async add(made) {
    this.untold.add(made.key)
    const booking = await this.storage.add(made)
    // once stored, it may be sent, and answered, before this reports it
    if (this.untold.delete(made.key)) this.changed([booking])
    this.sendSoon()
    return booking
  }

  /** Change bookings as a person has decided, and send what that leaves to be sent. @param {number[]} ids @param {(booking: Booking) => Booking} change */
  async decide(ids, change) {
    await this.update(ids, change)
    this.sendSoon()
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
      if (unsettled.length) this.runAgain = true
      try {
        if (waiting.length) await this.book(waiting)
        for (const booking of unsettled.filter(({ state }) => state === 'booked')) await this.takeBack(booking)
        this.failures = 0
        this.setPaused(false)
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
    await this.bookMarked(marked.filter(({ state }) => state === 'waiting'))
  }

  /**
   * Send bookings. If the request as a whole is refused, for example as too long, its halves are sent, and in the end each
   * booking alone: one that can never be sent does not block the others. @param {Booking[]} marked
   */
  async bookMarked(marked) {
    if (marked.length === 0) return
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
   * @param {Booking[]} marked @returns {Promise<any[] | null>} @throws {Refusal | Unreachable} which says nothing about the bookings
   */
  async envelopesOf(marked) {
    try {
      const now = this.now()
      const scans = marked.map((booking) => asScan(booking, ageOf(booking.scannedAt, now, this.answered)))
      const envelopes = await this.service.book(scans)
      this.answered = this.now()
      if (envelopes?.length !== marked.length) throw new Unreachable('no response for each booking')
      return envelopes
    } catch (error) {
      if (isTransient(error)) throw error
      await this.service.book([NOTHING])
      return marked.length === 1 ? [problemOf(/** @type {Refusal} */ (error))] : null
    }
  }

  /** @param {Booking[]} marked @param {any[]} envelopes */
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
      if (isTransient(error)) throw error
      const refusal = /** @type {Refusal} */ (error)
      const already = refusal.details.reason === 'already_undone'
      await this.update(
        [id],
        already ? undone : (booking) => ({ ...booking, undoKey: '', problem: problemOf(refusal) }),
      )
    }
  }

  /** @param {unknown} error */
  async waitAfter(error) {
    const isKnown = error instanceof Refusal || error instanceof Unreachable
    if (!isKnown) console.warn(error)
    const usual = PAUSES[this.failures++] ?? LONGEST
    const requested = error instanceof Refusal ? error.retryAfter * 1000 : 0
    this.setPaused(true, isKnown ? error : null)
    await this.pause(Math.max(usual, requested))
  }

  /** @param {boolean} paused @param {Refusal | Unreachable | null} [obstacle] */
  setPaused(paused, obstacle = null) {
    if (paused === this.paused && obstacle?.message === this.obstacle?.message) return
    this.paused = paused
    this.obstacle = obstacle
    this.dispatchEvent(new Event('pause'))
  }

  /** @param {number[]} ids @param {(booking: Booking) => Booking} change */
  async update(ids, change) {
    this.changed(await this.storage.update(ids, change))
  }

  /** @param {Booking[]} bookings */
  changed(bookings) {
    this.dispatchEvent(new CustomEvent('change', { detail: bookings }))
  }
}

/** Whether an error says nothing about the bookings: it is temporary, or ends when the key is entered. @param {unknown} error */
function isTransient(error) {
  if (!(error instanceof Refusal)) return true
  return PASSING.includes(error.code) || error.status === 401 || error.status >= 500
}

/** Open the queue of this browser, and send what an earlier visit has left; when a person looks at this tab, also what a closed tab has. @param {string} database */
export async function open(database) {
  const storage = await BookingStorage.open(database)
  const queue = queueOf(storage, rest)
  for (const reason of REASONS) window.addEventListener(reason, () => queue.sendSoon())
  queue.sendSoon()
  return { queue, storage }
}

/** Send what waits, without a page. @param {string} database @throws {Unreachable} if some bookings still wait */
export async function sendOnce(database) {
  const later = () => Promise.reject(new Unreachable('some bookings wait on'))
  await queueOf(await BookingStorage.open(database), later).send()
}

/** Return a queue of this browser, of which all tabs show what any of them books. @param {BookingStorage} storage @param {(milliseconds: number) => Promise<void>} wait after a failed attempt */
function queueOf(storage, wait) {
  const queue = new Queue(storage, SERVICE, wait)
  // the browser must not delete bookings that wait for days when it needs space
  queue.addEventListener('change', () => void navigator.storage?.persist?.(), { once: true })
  const tabs = new BroadcastChannel('bookings')
  queue.addEventListener('change', (event) => tabs.postMessage(/** @type {CustomEvent} */ (event).detail))
  tabs.addEventListener('message', ({ data }) => queue.dispatchEvent(new CustomEvent('elsewhere', { detail: data })))
  return queue
}

/** The service, whose levels the copy of the catalogue learns. @type {Service} */
const SERVICE = {
  async book(scans) {
    const envelopes = await ask('POST', '/api/codes/scans', { body: { scans } })
    const booked = envelopes.filter((/** @type {any} */ each) => each?.success && each.data.inventory)
    const levels = booked.map((/** @type {any} */ { data }) => [data.product.id, data.inventory.current_level])
    void rememberLevels(new Map(levels))
    return envelopes
  },
  async undo(changeId, body) {
    const change = await ask('POST', `/api/inventory/changes/${changeId}/undo`, { body })
    void rememberLevels(new Map([[change.product_id, change.new_level]]))
  },
}

/** Wait for this time, or until there is a reason to try again. @param {number} milliseconds @returns {Promise<void>} */
function rest(milliseconds) {
  return new Promise((resolve) => {
    const ended = new AbortController()
    const go = () => (clearTimeout(timer), ended.abort(), resolve())
    const timer = setTimeout(go, milliseconds)
    for (const reason of REASONS) window.addEventListener(reason, go, { signal: ended.signal })
  })
}
