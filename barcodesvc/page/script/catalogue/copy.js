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
 * `about` has the tag of the response, empty if it is forgotten; when it was the newest, in milliseconds by the device's
 * clock; and the levels named since, by the ids of their products.
 *
 * @typedef {{tag: string, asOf: number, levels: Record<number, {level: number, at: number}>}} About
 * @typedef {{about: About, body: {tag: string, text: string}}} Values
 * @typedef {{read: <Key extends keyof Values>(key: Key) => Promise<Values[Key] | undefined>, update: (change: (present: About) => Partial<Values>) => Promise<void>}} Storage
 * @typedef {{id: number, product_code: string, description: string, unit_of_measure: string, level: number, pack: number, packs: Map<string, number>, remembered: Date}} Remembered `packs` has the pieces of each code of the product, and `pack` those of the one that was asked for
 */

const STORE = 'values'

/** @type {About} */
const NOTHING = { tag: '', asOf: 0, levels: {} }

/** Return the copy in a storage. @param {Storage} storage */
export function copyIn({ read, update }, ask = askService, now = Date.now) {
  let known = { tag: '', total: 0, count: 0, products: new Map() }

  /** Return what is stored, with the products by their codes, own ones first; null if that is nothing. */
  async function stored() {
    const { tag, ...about } = (await read('about')) ?? NOTHING
    if (!tag) return null
    if (tag !== known.tag) {
      const body = await read('body')
      const { data, pagination } = JSON.parse(body?.text ?? '')
      const products = new Map(data.map((/** @type {any} */ product) => [product.product_code, product]))
      const others = data.flatMap((/** @type {any} */ product) =>
        (product.other_codes ?? []).map((/** @type {any} */ { code }) => [code, product]),
      )
      for (const [code, product] of others) if (!products.has(code)) products.set(code, product)
      known = { tag: body?.tag ?? '', total: pagination.total, count: data.length, products }
    }
    return { ...known, ...about }
  }

  /** @type {(code: string) => Promise<Remembered | null>} */
  async function find(code) {
    const { products, levels, asOf } = (await stored()) ?? { ...NOTHING, products: null }
    const found = products?.get(code.trim())
    if (!found) return null
    const { current_level, other_codes = [], ...product } = found
    const others = other_codes.map((/** @type {any} */ { code: other, pack_quantity }) => [other, pack_quantity])
    const packs = new Map([[found.product_code, 1], ...others])
    const { level, at } = levels[found.id] ?? { level: current_level, at: asOf }
    return { ...product, level, pack: packs.get(code.trim()) ?? 1, packs, remembered: new Date(at) }
  }

  /** Return how many products the copy has, of how many, and as of when; null without one. */
  async function extent() {
    const there = await stored()
    return there && { count: there.count, total: there.total, asOf: new Date(there.asOf) }
  }

  /** Ask for a newer copy; a refused key deletes this one. @throws {Refusal | import('../api.js').Unreachable} */
  async function refresh() {
    const [begun, { tag: before, asOf }] = [now(), (await read('about')) ?? NOTHING]
    try {
      const response = await ask(before)
      const tag = response.headers.get('ETag') ?? ''
      const body = response.status === 304 ? {} : { body: { tag, text: await response.text() } }
      await update((present) => {
        if (present.asOf !== asOf) return {} // forgotten meanwhile, or refreshed by another tab
        const newer = Object.entries(present.levels).filter(([, { at }]) => at >= begun)
        return { about: { tag, asOf: begun, levels: Object.fromEntries(newer) }, ...body }
      })
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) await forget()
      throw error
    }
  }

  /** @param {Map<number, number>} levels that the service has just named, by the ids of their products */
  async function setLevels(levels) {
    const named = Object.fromEntries([...levels].map(([id, level]) => [id, { level, at: now() }]))
    await update((present) => (present.tag ? { about: { ...present, levels: { ...present.levels, ...named } } } : {}))
  }

  async function forget() {
    await update(() => ({ about: { ...NOTHING, asOf: now() }, body: { tag: '', text: '' } }))
  }

  return { find, extent, refresh, setLevels, forget }
}

/** @typedef {ReturnType<typeof copyIn>} CatalogueCopy */

/** The copy of this browser. @type {Promise<CatalogueCopy> | null} */
let opening = null

/**
 * Do something with the copy of this browser; without one, return null. After a failure, the next call opens it again.
 *
 * @type {<Value>(act: (copy: CatalogueCopy) => Promise<Value>) => Promise<Value | null>}
 */
function tried(act) {
  opening ??= inDatabase().then((storage) => copyIn(storage))
  opening.catch(() => (opening = null))
  return opening.then(act).catch(() => null)
}

/** Return the product with exactly this code, as this device remembers it, or null. @param {string} code */
export const remembered = (code) => tried((copy) => copy.find(code))

/** Return how many products the device remembers, of how many, and as of when; null without a copy. */
export const extent = () => tried((copy) => copy.extent())

/** Remember the levels that the service has just named. @param {Map<number, number>} levels by the ids of their products */
export const rememberLevels = (levels) => tried((copy) => copy.setLevels(levels))

/** Delete the copy: this device has logged out, or its key was refused. */
export const forgetCatalogue = () => tried((copy) => copy.forget())

/** Ask for a newer copy; without a response, this one stays. */
export const refreshCatalogue = () => tried((copy) => copy.refresh())

/** @param {string} tag of the copy that is there; without a session it is refused: no one is asked for the key */
function askService(tag) {
  return fetched('GET', '/api/products/catalogue', { isQuiet: true }, tag ? { 'If-None-Match': tag } : {})
}

/** @returns {Promise<Storage>} in IndexedDB, which is there over plain HTTP, too */
async function inDatabase() {
  const database = await Database.open('barcodesvc.copy', (created) => created.createObjectStore(STORE))
  const begin = (/** @type {IDBTransactionMode} */ mode) => database.begin([STORE], mode)
  return {
    read: async (key) => result((await begin('readonly')).objectStore(STORE).get(key)),
    update: async (change) => {
      const transaction = await begin('readwrite')
      const store = transaction.objectStore(STORE)
      const values = change((await result(store.get('about'))) ?? NOTHING)
      for (const [key, value] of Object.entries(values)) store.put(value, key)
      await ended(transaction)
    },
  }
}
