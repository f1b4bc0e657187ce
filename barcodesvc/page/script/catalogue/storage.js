/**
 * Where the copy of the catalogue is stored: IndexedDB. A look-up reads one product; nothing holds all of them in memory.
 *
 * Rule: each write also reads the epoch in its transaction, so that nothing is written after the copy was forgotten.
 */

import { Database, ended, result } from '../database.js'

/** @typedef {import('./copy.js').Product} Product */
/** @typedef {{epoch: number, state: import('./copy.js').State | null}} Stored */

const DATABASE = 'barcodesvc.catalogue'
const [PRODUCTS, STATE, CODE] = ['products', 'state', 'product_code']

export class CatalogueStorage {
  /** @param {Database} database */
  constructor(database) {
    this.database = database
  }

  static async open() {
    return new CatalogueStorage(await Database.open(DATABASE, create))
  }

  /** @returns {Promise<Stored>} */
  async read() {
    return stored((await this.database.begin([STATE], 'readonly')).objectStore(STATE))
  }

  /**
   * @param {string} code
   * @returns {Promise<Product[]>}
   */
  async find(code) {
    const transaction = await this.database.begin([PRODUCTS], 'readonly')
    return result(transaction.objectStore(PRODUCTS).index(CODE).getAll(code))
  }

  async count() {
    return result((await this.database.begin([PRODUCTS], 'readonly')).objectStore(PRODUCTS).count())
  }

  /**
   * @param {number} epoch
   * @param {import('./copy.js').Change} change
   */
  async change(epoch, { products, replaced, state }) {
    const transaction = await this.database.begin([PRODUCTS, STATE], 'readwrite')
    const [kept, states] = [transaction.objectStore(PRODUCTS), transaction.objectStore(STATE)]
    if ((await stored(states)).epoch !== epoch) return
    if (replaced) kept.delete(IDBKeyRange.bound(...replaced, true))
    for (const product of products) kept.put(product)
    if (state) states.put({ epoch, state }, STATE)
    await ended(transaction)
  }

  /**
   * @param {Map<number, number>} levels by the ids of products
   * @param {number} at when the service named them
   */
  async setLevels(levels, at) {
    const transaction = await this.database.begin([PRODUCTS], 'readwrite')
    const kept = transaction.objectStore(PRODUCTS)
    const products = await Promise.all([...levels.keys()].map((id) => result(kept.get(id))))
    for (const product of products.filter(Boolean)) kept.put({ ...product, level: levels.get(product.id), at })
    await ended(transaction)
  }

  async forget() {
    const transaction = await this.database.begin([PRODUCTS, STATE], 'readwrite')
    const states = transaction.objectStore(STATE)
    const { epoch } = await stored(states)
    transaction.objectStore(PRODUCTS).clear()
    states.put({ epoch: epoch + 1, state: null }, STATE)
    await ended(transaction)
  }
}

/** @param {IDBDatabase} database a new one */
function create(database) {
  database.createObjectStore(STATE)
  database.createObjectStore(PRODUCTS, { keyPath: 'id' }).createIndex(CODE, CODE)
}

/**
 * @param {IDBObjectStore} states
 * @returns {Promise<Stored>}
 */
async function stored(states) {
  return (await result(states.get(STATE))) ?? { epoch: 0, state: null }
}
