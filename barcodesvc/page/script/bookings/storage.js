/**
 * The queue's storage on disk: IndexedDB, which survives a reload and a crash.
 *
 * Rule: a booking is stored when `add` has returned: its transaction asks for the disk itself, not for the system's memory.
 * At most KEPT settled bookings are kept for the list.
 */

import { Database, ended, result } from '../database.js'
import { isSettled, isUnsent } from './booking.js'

/** @typedef {import('../types.js').Booking} Booking */

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

  /** Store a new booking on disk, and give it its id. @param {import('../types.js').NewBooking} booking @returns {Promise<Booking>} */
  async add(booking) {
    const transaction = await this.writing('strict')
    const id = await result(transaction.objectStore(STORE).add(marked(booking)))
    await ended(transaction)
    if (++this.added % CUT_EVERY === 0) this.cut().catch((error) => console.warn(error))
    return { ...booking, id: Number(id) }
  }

  /** Change bookings in one transaction, so that nothing comes between reading and writing. @param {number[]} ids @param {(booking: Booking) => Booking} change @returns {Promise<Booking[]>} */
  async update(ids, change) {
    const transaction = await this.writing('default')
    const store = transaction.objectStore(STORE)
    const stored = await Promise.all(ids.map((id) => result(store.get(id))))
    const changed = stored.filter(Boolean).map((booking) => change(booking))
    for (const booking of changed) store.put(marked(booking))
    await ended(transaction)
    return changed
  }

  /** Return bookings that wait, or whose undo does, oldest first. @param {number} limit @returns {Promise<Booking[]>} */
  async unsettled(limit) {
    return result((await this.reading()).index(OPEN).getAll(null, limit))
  }

  /** Return the last settled bookings and all others, newest first. @param {number} limit of those that are settled */
  async listed(limit) {
    let seen = 0
    return (await this.newestFirst()).filter((booking) => !isSettled(booking) || ++seen <= limit)
  }

  /** Delete the oldest settled bookings. */
  async cut() {
    const settled = (await this.newestFirst()).filter(isSettled)
    const transaction = await this.writing('default')
    for (const { id } of settled.slice(KEPT)) transaction.objectStore(STORE).delete(id)
    await ended(transaction)
  }

  /** @returns {Promise<Booking[]>} */
  async newestFirst() {
    return (await result((await this.reading()).getAll())).reverse()
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

/** Return a booking with the mark by which the index finds it, if it or its undo has to be sent. @param {import('../types.js').NewBooking | Booking} booking */
function marked(booking) {
  const { [OPEN]: _, ...plain } = /** @type {any} */ (booking)
  return isUnsent(booking) ? { ...plain, [OPEN]: 1 } : plain
}
