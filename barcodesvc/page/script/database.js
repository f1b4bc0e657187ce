/**
 * A database of this browser (IndexedDB).
 *
 * Rule: a connection that the browser has closed, as phones do in the background, is opened again. A connection closes for
 * a newer page that changes the database, which would otherwise wait forever.
 */

/** The version of each database. */
const VERSION = 1

export class Database {
  /** @param {() => Promise<IDBDatabase>} connect @param {IDBDatabase} connection */
  constructor(connect, connection) {
    this.connect = connect
    this.connection = connection
  }

  /** Open a database. @param {string} name @param {(database: IDBDatabase) => void} create its stores, if it is new */
  static async open(name, create) {
    const connect = () => connected(name, create)
    return new Database(connect, await connect())
  }

  /** Begin a transaction. @param {string[]} stores @param {IDBTransactionMode} mode @param {IDBTransactionOptions} [options] */
  async begin(stores, mode, options) {
    try {
      return this.connection.transaction(stores, mode, options)
    } catch (error) {
      if (/** @type {Error} */ (error).name !== 'InvalidStateError') throw error
      this.connection = await this.connect()
      return this.connection.transaction(stores, mode, options)
    }
  }
}

/** @param {string} name @param {(database: IDBDatabase) => void} create */
async function connected(name, create) {
  const request = indexedDB.open(name, VERSION)
  request.onupgradeneeded = () => create(request.result)
  const connection = await result(request)
  connection.onversionchange = () => connection.close()
  return connection
}

/** @template Value @param {IDBRequest<Value>} request @returns {Promise<Value>} */
export function result(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

/** @param {IDBTransaction} transaction @returns {Promise<void>} */
export function ended(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error)
  })
}
