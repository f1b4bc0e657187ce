/**
 * The queue's storage on disk: IndexedDB, which survives a reload and a crash.
 *
 * Rule: a booking is stored when `add` has returned: its transaction asks for the disk itself, not for the system's memory.
 * At most KEPT settled bookings are kept for the list.
 */

import { Database, ended, result } from '../database.js'

/** @typedef {import('./booking.js').Booking} Booking */

const STORE = 'bookings'

/** An index of what still has to be sent: it contains only bookings that have `open`. */
const OPEN = 'open'

/** Settled bookings that are kept. */
const KEPT = 200

/** Settled bookings are trimmed after this many additions. */
const CUT_EVERY = 50

export class BookingStorage {
  /** @param {Database} database */
  constructor(database) {
    this.database = database
    this.added = 0
  }

  /** Open the storage of this browser, creating it if necessary. @param {string} name */
  static async open(name) {
    return new BookingStorage(await Database.open(name, create))
  }

  /**
   * @param {Omit<Booking, 'id'>} booking
   * @returns {Promise<Booking>}
   */
  async add(booking) {
    const transaction = await this.writing('strict')
    const id = await result(transaction.objectStore(STORE).add(marked(booking)))
    await ended(transaction)
    if (++this.added % CUT_EVERY === 0) this.cut().catch((error) => console.warn(error))
    return { ...booking, id: Number(id) }
  }

  /**
   * Change bookings in one transaction, so that nothing comes between reading and writing.
   *
   * @param {number[]} ids
   * @param {(booking: Booking) => Booking} change
   * @returns {Promise<Booking[]>}
   */
  async update(ids, change) {
    const transaction = await this.writing('default')
    const store = transaction.objectStore(STORE)
    const stored = await Promise.all(ids.map((id) => result(store.get(id))))
    const changed = stored.filter(Boolean).map(change)
    for (const booking of changed) store.put(marked(booking))
    await ended(transaction)
    return changed
  }

  /**
   * @param {number} limit
   * @returns {Promise<Booking[]>}
   */
  async unsettled(limit) {
    const store = await this.reading()
    return result(store.index(OPEN).getAll(null, limit))
  }

  /**
   * Return the last settled bookings and all others, newest first.
   *
   * @param {number} limit of those that are settled
   * @returns {Promise<Booking[]>}
   */
  async listed(limit) {
    /** @type {Booking[]} */
    const found = []
    let seen = 0
    await this.walk('prev', (booking) => {
      if (!isSettled(booking) || ++seen <= limit) found.push(booking)
      return true
    })
    return found
  }

  /** Delete the oldest settled bookings: booked or undone, with nothing left to do. */
  async cut() {
    /** @type {number[]} */
    const settled = []
    await this.walk('prev', (booking) => {
      if (isSettled(booking)) settled.push(booking.id)
      return true
    })
    const transaction = await this.writing('default')
    for (const id of settled.slice(KEPT)) transaction.objectStore(STORE).delete(id)
    await ended(transaction)
  }

  /**
   * @param {IDBCursorDirection} direction
   * @param {(booking: Booking) => boolean} visit returns whether to go on
   */
  async walk(direction, visit) {
    const store = await this.reading()
    return new Promise((resolve, reject) => {
      const request = store.openCursor(null, direction)
      request.onerror = () => reject(request.error)
      request.onsuccess = () => {
        const cursor = request.result
        if (cursor && visit(cursor.value)) cursor.continue()
        else resolve(undefined)
      }
    })
  }

  /** Return how many bookings still have to be sent, wholly or their undo. */
  async waiting() {
    return result((await this.reading()).index(OPEN).count())
  }

  /** @param {IDBTransactionDurability} durability */
  writing(durability) {
    return this.database.begin([STORE], 'readwrite', { durability })
  }

  async reading() {
    return (await this.database.begin([STORE], 'readonly')).objectStore(STORE)
  }
}

/** @param {IDBDatabase} database a new one */
function create(database) {
  const store = database.createObjectStore(STORE, { keyPath: 'id', autoIncrement: true })
  store.createIndex(OPEN, OPEN)
}

/**
 * Whether a booking is booked or undone, with nothing left to send or decide.
 *
 * @param {Booking} booking
 */
function isSettled({ state, undoKey }) {
  return state === 'undone' || (state === 'booked' && undoKey === '')
}

/**
 * Return a booking with the mark by which the index finds it, if part of it has to be sent.
 *
 * @param {Omit<Booking, 'id'> | Booking} booking
 */
function marked(booking) {
  const { [OPEN]: _, ...plain } = /** @type {any} */ (booking)
  const waits = booking.state === 'waiting' || (booking.state === 'booked' && booking.undoKey !== '')
  return waits ? { ...plain, [OPEN]: 1 } : plain
}
