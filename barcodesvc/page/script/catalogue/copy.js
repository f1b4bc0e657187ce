/**
 * The copy of the catalogue on this device, for look-ups without the network: the code, name and level of each product.
 *
 * Rule: it confirms exact codes only, and says as of when. A browser that stores nothing has no copy: then nothing is
 * remembered, and nothing fails.
 */

import { CatalogueStorage } from './storage.js'

/**
 * @typedef {{id: number, product_code: string, description: string, level: number, at?: number}} Product `at` is when
 * the service named its level, if that was after the last refresh, in milliseconds by the device's clock
 * @typedef {Product & {remembered: Date}} Remembered a product, and when the copy was last up to date
 *
 * @typedef {object} State of the copy
 * @property {number} asOf when the last refresh began, in milliseconds by the device's clock
 * @property {string} since the same by the service's clock, ISO 8601
 * @property {number} readAt when all products were read, as `asOf`
 * @property {number} total products in the catalogue
 * @property {number} last the highest id that the copy covers
 *
 * @typedef {object} Storage
 * @property {() => Promise<{epoch: number, state: State | null}>} read `epoch` counts how often the copy was forgotten
 * @property {(code: string) => Promise<Product[]>} find
 * @property {() => Promise<number>} count
 * @property {(epoch: number, change: Change) => Promise<void>} change does nothing if `epoch` is a former one
 * @property {(levels: Map<number, number>, at: number) => Promise<void>} setLevels of the products that it has, by their ids
 * @property {() => Promise<void>} forget
 *
 * @typedef {object} Change of the copy
 * @property {Product[]} products which are added, or replace those with their ids
 * @property {[after: number, upTo: number]} [replaced] ids whose products are deleted first
 * @property {State} [state]
 */

/** @type {Promise<Storage> | null} */
let opening = null

/** Return the storage of this browser. After a failure, the next call tries again. */
export function catalogueStorage() {
  opening ??= CatalogueStorage.open()
  opening.catch(() => (opening = null))
  return opening
}

/**
 * Return the product with exactly this code, as this device remembers it, or null.
 *
 * @param {string} code
 */
export function remembered(code) {
  return catalogueStorage()
    .then((storage) => found(storage, code))
    .catch(() => null)
}

/**
 * Return how many products the device remembers, of how many, and as of when; null without a copy.
 *
 * @returns {Promise<{count: number, total: number, asOf: Date} | null>}
 */
export async function extent() {
  try {
    const storage = await catalogueStorage()
    const { state } = await storage.read()
    return state && { count: await storage.count(), total: state.total, asOf: new Date(state.asOf) }
  } catch {
    return null
  }
}

/**
 * Remember the levels that the service has just named, by the ids of their products.
 *
 * @param {Map<number, number>} levels
 */
export async function rememberLevels(levels) {
  await catalogueStorage()
    .then((storage) => storage.setLevels(levels, Date.now()))
    .catch(() => undefined)
}

/** Delete the copy: this device has logged out, or its key was refused. */
export async function forgetCatalogue() {
  await catalogueStorage()
    .then((storage) => storage.forget())
    .catch(() => undefined)
}

/**
 * Return the only product with exactly this code, which has no white space at its ends. During a refresh, a deleted product may still be there.
 *
 * @param {Storage} storage
 * @param {string} code
 * @returns {Promise<Remembered | null>}
 */
export async function found(storage, code) {
  const [{ state }, products] = await Promise.all([storage.read(), storage.find(code.trim())])
  const [product] = products
  if (!state || !product || products.length !== 1) return null
  const { at = 0, ...known } = product
  return { ...known, remembered: new Date(Math.max(at, state.asOf)) }
}
