/**
 * Refreshes the copy of the catalogue.
 *
 * Rule: the copy has at most MOST products, those with the lowest ids. A refresh reads what has changed since the last one,
 * and costs little where nothing has.
 * If the number of products is different afterwards, because some were deleted, or once a day, it reads all of them. What
 * is forgotten stays forgotten: a refresh that was under way adds nothing to it. Storage and service are parameters, so
 * that the rule is tested alone.
 */

import { Refusal } from '../api.js'
import { serviceClock } from '../service_clock.js'

/** Most products in the copy. */
export const MOST = 20_000

/** Products in one response: the maximum of the list. */
const PAGE = 500

/** Most pages of changes; if there are more, all products are read instead. */
const PAGES_OF_CHANGES = 4

/** Milliseconds by which changes are read again, because the clocks of replicas may differ. */
const OVERLAP = 60_000

/** Milliseconds after which all products are read again, and after which the copy is refreshed. */
const DAY = 86_400_000
const FRESH = 40_000

/**
 * @typedef {import('./copy.js').State} State
 * @typedef {import('./copy.js').Storage} Storage
 *
 * @typedef {object} Service
 * @property {(query: Record<string, unknown>) => Promise<{data: any[], pagination: {total: number}}>} list a page of products
 */

export class CatalogueRefresh {
  /**
   * @param {Storage} storage
   * @param {Service} service
   * @param {import('../service_clock.js').ServiceClock} [clock]
   * @param {() => number} [now]
   */
  constructor(storage, service, clock = serviceClock, now = Date.now) {
    this.storage = storage
    this.service = service
    this.clock = clock
    this.now = now
  }

  /** Whether it is time for a refresh. */
  async isDue() {
    const { state } = await this.storage.read()
    return !state || isOver(FRESH, state.asOf, this.now())
  }

  /** @throws {Refusal | import('../api.js').Unreachable} A refused key also deletes the copy. */
  async run() {
    try {
      const { epoch, state } = await this.storage.read()
      const isPartial = state && !isOver(DAY, state.readAt, this.now()) && (await this.readChanges(epoch, state))
      if (!isPartial) await this.readAll(epoch)
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) await this.storage.forget()
      throw error
    }
  }

  /**
   * Read all products by id, and replace those of each page together with the gap before it.
   *
   * @param {number} epoch
   */
  async readAll(epoch) {
    const begun = this.now()
    let after = 0
    for (let page = 1; ; page += 1) {
      const { data, pagination } = await this.list({ page })
      const isLast = data.length < PAGE || page * PAGE >= Math.min(pagination.total, MOST)
      const highest = data.at(-1)?.id ?? after
      const upTo = isLast ? Number.MAX_SAFE_INTEGER : highest
      const last = pagination.total > MOST ? highest : Number.MAX_SAFE_INTEGER
      const state = isLast && { ...this.stateOf(begun, pagination.total), readAt: begun, last }
      await this.storage.change(epoch, { products: data.map(kept), replaced: [after, upTo], ...(state && { state }) })
      if (isLast) return
      after = highest
    }
  }

  /**
   * Read what has changed since the last refresh: products, then levels.
   *
   * @param {number} epoch
   * @param {State} state
   * @returns {Promise<boolean>} whether the copy is up to date
   */
  async readChanges(epoch, state) {
    const begun = this.now()
    const since = Date.parse(state.since) - OVERLAP
    const isNew = (/** @type {any} */ product) => Date.parse(product.updated_at) >= since
    const newest = await this.service.list({ sort: '-updated_at', page: 1, limit: 1, include_levels: true })
    const { total: count } = newest.pagination
    const isSame = count === state.total && !newest.data.some(isNew)
    const changed = isSame ? { products: [], total: count } : await this.pagesOf({ sort: '-updated_at' }, isNew)
    const moved = changed && (await this.pagesOf({ moved_since: new Date(since).toISOString() }, () => true))
    if (!moved) return false
    const products = [...changed.products, ...moved.products].map(kept).filter(({ id }) => id <= state.last)
    await this.storage.change(epoch, { products })
    const { total } = changed
    const isWhole = total <= MOST && total === (await this.storage.count())
    if (state.total > MOST ? total !== state.total : !isWhole) return false
    await this.storage.change(epoch, { products: [], state: { ...state, ...this.stateOf(begun, total) } })
    return true
  }

  /**
   * Return the products of a list up to the first that is not new, or null if there are too many.
   *
   * @param {Record<string, unknown>} query
   * @param {(product: any) => boolean} isNew
   */
  async pagesOf(query, isNew) {
    const products = []
    for (let page = 1; page <= PAGES_OF_CHANGES; page += 1) {
      const { data, pagination } = await this.list({ ...query, page })
      const recent = data.filter(isNew)
      products.push(...recent)
      const { total } = pagination
      if (recent.length < data.length || page * PAGE >= total) return { products, total }
    }
    return null
  }

  /** @param {Record<string, unknown>} query */
  list(query) {
    return this.service.list({ ...query, limit: PAGE, include_levels: true })
  }

  /**
   * @param {number} begun
   * @param {number} total
   */
  stateOf(begun, total) {
    return { asOf: begun, since: this.clock.timeOf(new Date(begun).toISOString()), total }
  }
}

/**
 * Whether this much time has passed; also if the clock was set back meanwhile.
 *
 * @param {number} time in milliseconds
 * @param {number} begin
 * @param {number} now
 */
function isOver(time, begin, now) {
  return now < begin || now - begin >= time
}

/**
 * @param {any} product of the list
 * @returns {import('./copy.js').Product}
 */
function kept({ id, product_code, description, current_level }) {
  return { id, product_code, description, level: current_level }
}
