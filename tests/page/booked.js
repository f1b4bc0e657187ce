/** What a queue of bookings is tried on: a disk, and a service that counts. */

import { Refusal, Unreachable } from '../../barcodesvc/page/script/api.js'
import { takenBack, waitingAgain } from '../../barcodesvc/page/script/bookings/booking.js'

/** @typedef {import('../../barcodesvc/page/script/bookings/booking.js').Booking} Booking */

/** A storage that a crash leaves alone, as the disk is left. */
export class Shelf {
  /** @type {Map<number, Booking>} */
  stored = new Map()

  /** @param {Omit<Booking, 'id'>} booked */
  async add(booked) {
    await null
    const id = this.stored.size + 1
    this.stored.set(id, { ...booked, id })
    return { ...booked, id }
  }

  /**
   * @param {number[]} ids
   * @param {(booking: Booking) => Booking} change
   */
  async update(ids, change) {
    await null
    const changed = ids.map((id) => change(this.of(id)))
    for (const each of changed) this.stored.set(each.id, each)
    return changed
  }

  /** @param {number} limit */
  async unsettled(limit) {
    await null
    const open = [...this.stored.values()].filter(
      ({ state, undoKey }) => state === 'waiting' || (state === 'booked' && undoKey !== ''),
    )
    return open.slice(0, limit)
  }

  /** @param {number} id */
  of(id) {
    const found = this.stored.get(id)
    if (!found) throw new Error(`no booking ${id}`)
    return found
  }
}

/** A service that counts a key once, and fails on request: `faults` has one for each request, null for none. */
export class Counter {
  level = 0
  day = '2026-01-31'
  /** @type {Map<string, any>} */
  changes = new Map()
  /** @type {Set<string>} */
  undos = new Set()
  /** @type {number[]} */
  sizes = []

  /** @param {(((respond: () => any) => any) | null)[]} [faults] */
  constructor(faults = []) {
    this.faults = faults
  }

  /** @param {any[]} scans */
  book(scans) {
    this.sizes.push(scans.length)
    return this.failing(() => scans.map((scan) => this.one(scan)))
  }

  /**
   * @param {number} changeId
   * @param {any} body
   */
  undo(changeId, body) {
    return this.failing(() => {
      const found = [...this.changes.values()].find(({ id }) => id === changeId)
      if (!found || (body.updated_at ?? found.updated_at) !== found.updated_at) {
        throw refusal(404, 'there is no such change')
      }
      if (!this.undos.has(body.idempotency_key)) this.level -= found.new_level - found.old_level
      this.undos.add(body.idempotency_key)
    })
  }

  /** @param {() => any} respond */
  async failing(respond) {
    await null
    const fault = this.faults.shift()
    return fault ? fault(respond) : respond()
  }

  /** @param {any} scan */
  one({ code_data, delta, idempotency_key }) {
    if (delta === 0) return { success: true, data: {} }
    if (code_data === 'unknown') return { error: true, code: 'PRODUCT_NOT_FOUND', message: 'unknown', details: {} }
    if (!this.changes.has(idempotency_key)) {
      const id = this.changes.size + 1
      const levels = { old_level: this.level, new_level: this.level + delta }
      this.changes.set(idempotency_key, { id, ...levels, updated_at: `${this.day}T12:00:00.000Z` })
      this.level += delta
    }
    const product = { id: 1, product_code: code_data, description: 'Pen' }
    return { success: true, data: { product, change: this.changes.get(idempotency_key) } }
  }
}

/**
 * @param {number} status
 * @param {string} message
 */
export function refusal(status, message) {
  return new Refusal(status, { code: 'VALIDATION_ERROR', message })
}

/** Take a booking back. @param {import('../../barcodesvc/page/script/bookings/queue.js').Queue} queue @param {number} id @param {string} [author] */
export function undo(queue, id, author = '') {
  return queue.decide([id], (booking) => takenBack(booking, author))
}

/** Send refused bookings again. @param {import('../../barcodesvc/page/script/bookings/queue.js').Queue} queue @param {number[]} ids */
export function retry(queue, ids) {
  return queue.decide(ids, (booking) => waitingAgain(booking))
}

/** The request does not arrive. */
export function notSent() {
  throw new Unreachable('no network')
}

/** The service does what it is asked, and its response is lost. @param {() => any} respond */
export function responseLost(respond) {
  respond()
  throw new Unreachable('no response')
}
