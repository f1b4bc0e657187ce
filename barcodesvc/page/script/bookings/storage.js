/**
 * The queue's place on the disk: IndexedDB, which outlives a reload and a crash.
 *
 * Rule: a booking is there when `add` has ended: its transaction asks for the disk itself, not for the system's memory.
 * What is settled is kept for the list, at most KEPT of it.
 */

/** @typedef {import('./booking.js').Booking} Booking */

const STORE = 'bookings'

/** An index over what still has to be sent: only bookings that have `open` stand in it. */
const OPEN = 'open'

/** Settled bookings that are kept. */
const KEPT = 200

/** Settled bookings are cut after so many that were added. */
const CUT_EVERY = 50

export class BookingStorage {
  /** @param {IDBDatabase} database */
  constructor(database) {
    this.database = database
    this.added = 0
  }

  /**
   * Open the storage of this browser, made where there is none.
   *
   * @param {string} [name]
   */
  static async open(name = 'barcodesvc') {
    const request = indexedDB.open(name, 1)
    request.onupgradeneeded = () => {
      const store = request.result.createObjectStore(STORE, { keyPath: 'id', autoIncrement: true })
      store.createIndex(OPEN, OPEN)
    }
    return new BookingStorage(await result(request))
  }

  /**
   * @param {Omit<Booking, 'id'>} booking
   * @returns {Promise<Booking>}
   */
  async add(booking) {
    const transaction = this.writing('strict')
    const id = await result(transaction.objectStore(STORE).add(marked(booking)))
    await ended(transaction)
    if (++this.added % CUT_EVERY === 0) this.cut().catch((error) => console.warn(error))
    return { ...booking, id: Number(id) }
  }

  /**
   * Change bookings in one transaction, so that nothing comes between what was read and what is written.
   *
   * @param {number[]} ids
   * @param {(booking: Booking) => Booking} change
   * @returns {Promise<Booking[]>}
   */
  async update(ids, change) {
    const transaction = this.writing('default')
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
  unsettled(limit) {
    return result(this.reading().index(OPEN).getAll(null, limit))
  }

  /**
   * Return the last settled bookings and all others, the newest first.
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

  /** Forget the oldest bookings that are settled: booked or undone, with nothing left to do. */
  async cut() {
    /** @type {number[]} */
    const settled = []
    await this.walk('prev', (booking) => {
      if (isSettled(booking)) settled.push(booking.id)
      return true
    })
    const transaction = this.writing('default')
    for (const id of settled.slice(KEPT)) transaction.objectStore(STORE).delete(id)
    await ended(transaction)
  }

  /**
   * @param {IDBCursorDirection} direction
   * @param {(booking: Booking) => boolean} visit returns whether to go on
   */
  walk(direction, visit) {
    return new Promise((resolve, reject) => {
      const request = this.reading().openCursor(null, direction)
      request.onerror = () => reject(request.error)
      request.onsuccess = () => {
        const cursor = request.result
        if (cursor && visit(cursor.value)) cursor.continue()
        else resolve(undefined)
      }
    })
  }

  /** @param {IDBTransactionDurability} durability */
  writing(durability) {
    return this.database.transaction(STORE, 'readwrite', { durability })
  }

  reading() {
    return this.database.transaction(STORE).objectStore(STORE)
  }
}

/**
 * Whether a booking is booked or undone, with nothing left to send and nothing to decide.
 *
 * @param {Booking} booking
 */
function isSettled({ state, undoKey }) {
  return state === 'undone' || (state === 'booked' && undoKey === '')
}

/**
 * Return a booking with the mark by which the index finds it, if there is something to send for it.
 *
 * @param {Omit<Booking, 'id'> | Booking} booking
 */
function marked(booking) {
  const { [OPEN]: _, ...plain } = /** @type {any} */ (booking)
  const waits = booking.state === 'waiting' || (booking.state === 'booked' && booking.undoKey !== '')
  return waits ? { ...plain, [OPEN]: 1 } : plain
}

/**
 * @template Value
 * @param {IDBRequest<Value>} request
 * @returns {Promise<Value>}
 */
function result(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

/**
 * @param {IDBTransaction} transaction
 * @returns {Promise<void>}
 */
function ended(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error)
  })
}
