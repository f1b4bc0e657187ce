/**
 * The copy of the catalogue on this device, for look-ups without the network: one response of the service as it came, and
 * the levels that the service has named since.
 *
 * Rule: it confirms exact codes only, and says as of when. What is forgotten stays forgotten: a refresh that was under way
 * adds nothing to it. A browser that stores nothing has no copy: then nothing is remembered, and nothing fails.
 */

import { fetched, Refusal } from '../api.js'
import { Database, ended, result } from '../database.js'

/**
 * @typedef {{id: number, product_code: string, description: string, unit_of_measure: string}} Product
 * @typedef {Product & {level: number, remembered: Date}} Remembered a product, and as of when its level is known
 * @typedef {{tag: string, asOf: number}} State the tag of the response, empty if it is forgotten, and when it was the
 * newest, in milliseconds by the device's clock
 * @typedef {Record<number, {level: number, at: number}>} Levels by the ids of their products
 * @typedef {{state?: State, levels?: Levels, body?: string}} Values
 * @typedef {{
 *   read: (keys: (keyof Values)[]) => Promise<Values>,
 *   update: (keys: (keyof Values)[], change: (present: Values) => Values) => Promise<void>,
 * }} Storage which reads and changes values of one moment
 */

/** Milliseconds after which the copy is refreshed. */
const FRESH = 40_000

const STORE = 'values'
const NOTHING = { tag: '', total: 0, products: new Map() }

export class CatalogueCopy {
  /** What is stored, for the tag that it was read with. @type {{tag: string, total: number, products: Map<string, any>}} */
  known = NOTHING

  /**
   * @param {Storage} storage
   * @param {(tag: string) => Promise<Response>} ask
   * @param {() => number} now
   */
  constructor(storage, ask = askService, now = Date.now) {
    this.storage = storage
    this.ask = ask
    this.now = now
  }

  /** @type {(code: string) => Promise<Remembered | null>} */
  async find(code) {
    const { state, levels = {} } = await this.storage.read(['state', 'levels'])
    const found = state?.tag && (await this.read(state.tag)).products.get(code.trim())
    if (!state || !found) return null
    const { current_level, ...product } = found
    const { level, at } = levels[found.id] ?? { level: current_level, at: state.asOf }
    return { ...product, level, remembered: new Date(at) }
  }

  /** Return how many products the copy has, of how many, and as of when; null without one. */
  async extent() {
    const { state } = await this.storage.read(['state'])
    if (!state?.tag) return null
    const { products, total } = await this.read(state.tag)
    return { count: products.size, total, asOf: new Date(state.asOf) }
  }

  /** @param {string} tag */
  async read(tag) {
    if (this.known.tag === tag) return this.known
    const { state, body = '' } = await this.storage.read(['state', 'body'])
    const { data, pagination } = JSON.parse(body)
    const products = new Map(data.map((/** @type {Product} */ product) => [product.product_code, product]))
    return (this.known = { tag: state?.tag ?? '', total: pagination.total, products })
  }

  /** Ask for a newer copy, unless this one is fresh; a refused key deletes it. @throws {Refusal | import('../api.js').Unreachable} */
  async refresh() {
    const [begun, { state }] = [this.now(), await this.storage.read(['state'])]
    if (state?.tag && begun >= state.asOf && begun - state.asOf < FRESH) return
    try {
      const response = await this.ask(state?.tag ?? '')
      const tag = response.headers.get('ETag') ?? ''
      const body = response.status === 304 ? {} : { body: await response.text() }
      await this.storage.update(['state', 'levels'], (present) => {
        if (present.state?.asOf !== state?.asOf) return {} // forgotten meanwhile, or refreshed by another tab
        const newer = Object.entries(present.levels ?? {}).filter(([, { at }]) => at >= begun)
        return { state: { tag, asOf: begun }, levels: Object.fromEntries(newer), ...body }
      })
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) await this.forget()
      throw error
    }
  }

  /** @param {Map<number, number>} levels that the service has just named, by the ids of their products */
  async setLevels(levels) {
    const named = Object.fromEntries([...levels].map(([id, level]) => [id, { level, at: this.now() }]))
    await this.storage.update(['state', 'levels'], ({ state, levels: others }) =>
      state?.tag ? { levels: { ...others, ...named } } : {},
    )
  }

  async forget() {
    this.known = NOTHING
    await this.storage.update([], () => ({ state: { tag: '', asOf: this.now() }, levels: {}, body: '' }))
  }
}

/** @type {Promise<CatalogueCopy> | null} */
let opening = null

/** Return the copy of this browser. After a failure, the next call tries again. */
export function catalogueCopy() {
  opening ??= stored().then((storage) => new CatalogueCopy(storage))
  opening.catch(() => (opening = null))
  return opening
}

/** Return the product with exactly this code, as this device remembers it, or null. @param {string} code */
export const remembered = (code) => tried((copy) => copy.find(code))

/** Return how many products the device remembers, of how many, and as of when; null without a copy. */
export const extent = () => tried((copy) => copy.extent())

/** Remember the levels that the service has just named. @param {Map<number, number>} levels by the ids of their products */
export const rememberLevels = (levels) => tried((copy) => copy.setLevels(levels))

/** Delete the copy: this device has logged out, or its key was refused. */
export const forgetCatalogue = () => tried((copy) => copy.forget())

/**
 * @template Value
 * @param {(copy: CatalogueCopy) => Promise<Value>} act
 */
function tried(act) {
  return catalogueCopy()
    .then(act)
    .catch(() => null)
}

/** @param {string} tag of the copy that is there; without a session it is refused: no one is asked for the key */
function askService(tag) {
  return fetched('GET', '/api/products/catalogue', { isQuiet: true }, tag ? { 'If-None-Match': tag } : {})
}

/** @returns {Promise<Storage>} in IndexedDB, which is there over plain HTTP, too */
async function stored() {
  const database = await Database.open('barcodesvc.copy', (created) => created.createObjectStore(STORE))
  /** @type {(store: IDBObjectStore, keys: string[]) => Promise<Values>} */
  const valuesIn = async (store, keys) =>
    Object.fromEntries(await Promise.all(keys.map(async (key) => [key, await result(store.get(key))])))
  return {
    read: async (keys) => valuesIn((await database.begin([STORE], 'readonly')).objectStore(STORE), keys),
    update: async (keys, change) => {
      const transaction = await database.begin([STORE], 'readwrite')
      const store = transaction.objectStore(STORE)
      const changed = change(await valuesIn(store, keys))
      for (const [key, value] of Object.entries(changed)) store.put(value, key)
      await ended(transaction)
    },
  }
}
