/**
 * Changes of levels, newest first: when, of what, by whom and why; each can be undone once. Those of one import are a row
 * that opens.
 */

import { ask, Refusal } from '../api.js'
import { newKey } from '../bookings/booking.js'
import { endsInGroup, groupsOf } from './change_groups.js'
import { element, fill, keyed } from '../dom.js'
import { text } from '../language.js'
import { latestOnly } from '../latest.js'
import { announce, announceError } from '../notices.js'
import { authorName } from '../bookings/store.js'
import { changeRow, groupRow, headOf } from './change_rows.js'
import { failure, errorText } from '../failure.js'
import { whileLoading } from '../loading.js'

/** Changes of one page; and of each further one, while a group goes on; and of all pages that this takes. */
const PAGE = 50
const LARGE_PAGE = 1000
const MOST = 5000

/**
 * A change as the API lists it; over all products with the product's code and description.
 *
 * @typedef {{id: number, product_id: number, old_level: number, new_level: number, change_reason: string, updated_by: string, updated_at: string, scanned_at: string | null, undoes: number | null, undone_by: number | null, product_code?: string, description?: string}} Change
 *
 * @typedef {object} Wanted
 * @property {(place: {before?: number, after?: number, limit: number}) => Promise<Change[]>} load
 * @property {string} none shown if there are no changes
 * @property {(change: Change) => HTMLElement} [productOf] makes the cell of the product, if there are several
 * @property {(changes: Change[], made: Change | null) => void} [changed] called with all changes that are shown after they
 * have changed, and with the one that an undo made
 * @property {AbortSignal} signal
 */

/** @param {Wanted} wanted */
export function changeList(wanted) {
  return new ChangeList(wanted)
}

class ChangeList {
  /** @type {Change[]} */
  #changes = []
  /** The groups that are open, by their newest change. @type {Set<number>} */
  #open = new Set()
  /** Keys of undos without a response yet, so that a second try counts once. @type {Map<number, string>} */
  #keys = new Map()
  #begin = latestOnly()
  #rows = element('tbody')
  #below = element('div', { class: 'below' })
  #table
  #wanted

  /** @param {Wanted} wanted */
  constructor(wanted) {
    this.#wanted = wanted
    this.#table = element('table', { class: 'changes-table', hidden: true }, headOf(!!wanted.productOf), this.#rows)
    this.node = element('div', { class: 'fitting' }, this.#table, this.#below)
  }

  /** Reload the list. */
  reload() {
    return this.#load(true)
  }

  /** Add what has changed since. */
  async refresh() {
    const before = this.#changes
    const newest = before[0]?.id
    if (newest === undefined) return this.reload()
    /** @type {Change[]} */
    const found = []
    for (let isFull = true; isFull;) {
      const page = await this.#wanted.load({ after: found.at(-1)?.id ?? newest, limit: LARGE_PAGE })
      found.push(...page)
      isFull = page.length === LARGE_PAGE
    }
    if (this.#changes !== before || !found.length) return
    const undone = new Map(found.map((change) => [change.undoes, change.id]))
    const marked = before.map((change) => ({ ...change, undone_by: undone.get(change.id) ?? change.undone_by }))
    this.#show([...found.reverse(), ...marked])
  }

  /**
   * Load the newest changes or the next page of older ones, and further pages while a group goes on.
   *
   * @param {boolean} isReload
   */
  async #load(isReload) {
    const isLast = this.#begin()
    /** @type {Change[]} */
    const found = []
    this.node.setAttribute('aria-busy', 'true')
    try {
      let isFull = true
      for (let limit = PAGE; isFull && (limit === PAGE || goesOn(found)); limit = LARGE_PAGE) {
        const before = (found.at(-1) ?? (isReload ? undefined : this.#changes.at(-1)))?.id
        const request = this.#wanted.load({ ...(before === undefined ? {} : { before }), limit })
        const page = await whileLoading(this.node, request)
        if (!isLast()) return
        found.push(...page)
        isFull = page.length === limit
      }
      this.#show([...(isReload ? [] : this.#changes), ...found])
      this.#end(isFull)
    } catch (error) {
      if (!isLast() || this.#wanted.signal.aborted) return
      const again = failure(error, () => void this.#load(isReload))
      fill(this.#below, again)
    } finally {
      this.node.removeAttribute('aria-busy')
    }
  }

  /** @param {boolean} hasOlder */
  #end(hasOlder) {
    const more = () => void this.#load(false)
    const older = element('button', { type: 'button', onclick: more }, text('changes.older'))
    const none = element('p', { class: 'soft' }, this.#wanted.none)
    fill(this.#below, this.#changes.length === 0 && none, hasOlder && older)
  }

  /**
   * @param {Change[]} changes
   * @param {Change | null} [made]
   */
  #show(changes, made = null) {
    this.#changes = changes
    this.#table.hidden = changes.length === 0
    this.#draw()
    this.#wanted.changed?.(changes, made)
  }

  #draw() {
    const items = groupsOf(this.#changes).flatMap((group) => this.#itemsOf(group))
    keyed(
      this.#rows,
      items,
      ({ key }) => key,
      ({ version, row }, existing) => {
        if (existing instanceof HTMLElement && existing.dataset['version'] === version) return existing
        const made = row()
        made.dataset['version'] = version
        return made
      },
    )
  }

  /**
   * Return the rows of a group: those of its changes, if it has several only while it is open.
   *
   * @param {Change[]} group
   */
  #itemsOf(group) {
    const [first] = group
    if (!first) return []
    const isOpen = this.#open.has(first.id)
    const { productOf } = this.#wanted
    const changes = group.map((change) => ({
      key: `${change.id}`,
      version: `${change.undone_by} ${group.length > 1}`,
      row: () => changeRow(change, { productOf, undo: () => void this.#undo(change), isMember: group.length > 1 }),
    }))
    if (group.length === 1) return changes
    const head = {
      key: `group ${first.id}`,
      version: `${group.length} ${isOpen}`,
      row: () => groupRow(group, { isOpen, toggle: () => this.#toggle(first.id), withProducts: !!productOf }),
    }
    return isOpen ? [head, ...changes] : [head]
  }

  /** @param {number} id */
  #toggle(id) {
    if (!this.#open.delete(id)) this.#open.add(id)
    this.#draw()
    this.#focus(`[data-group="${id}"] button`)
  }

  /** @param {Change} change */
  async #undo(change) {
    const key = this.#keys.get(change.id) ?? newKey()
    this.#keys.set(change.id, key)
    const body = { idempotency_key: key, updated_at: change.updated_at, updated_by: authorName() }
    try {
      this.#undone(change, await ask('POST', `/api/inventory/changes/${change.id}/undo`, { body }))
      this.#keys.delete(change.id)
    } catch (error) {
      this.#refused(change, error)
    }
  }

  /**
   * @param {Change} change
   * @param {Change} made
   */
  #undone(change, made) {
    const { product_code, description } = change
    const known = product_code === undefined ? made : { ...made, product_code, description: description ?? '' }
    const others = this.#changes.filter(({ id }) => id !== made.id)
    this.#show([known, ...replaced(others, { ...change, undone_by: made.id })], known)
    this.#focus(`[data-change="${made.id}"] button`)
    announce(text('change.taken-back', { level: made.new_level }))
  }

  /**
   * @param {Change} change
   * @param {unknown} error
   */
  #refused(change, error) {
    const { reason, undone_by = null, current_level } = error instanceof Refusal ? error.details : {}
    if (error instanceof Refusal) this.#keys.delete(change.id)
    this.#show(replaced(this.#changes, { ...change, undone_by }))
    for (const button of this.#rows.querySelectorAll('button')) button.disabled = false
    this.#focus(`[data-change="${change.id}"] button`)
    const cannot = reason === 'level_out_of_range' && text('change.undo.level', { level: current_level })
    announceError(cannot || errorText(error), this.#rows)
  }

  /** @param {string} selector */
  #focus(selector) {
    const button = this.#rows.querySelector(selector)
    if (button instanceof HTMLElement) button.focus({ preventScroll: true })
  }
}

/** Whether a group goes on after the last of these changes. @param {Change[]} changes */
function goesOn(changes) {
  return changes.length < MOST && endsInGroup(changes)
}

/**
 * @param {Change[]} changes
 * @param {Change} change
 */
function replaced(changes, change) {
  return changes.map((each) => (each.id === change.id ? change : each))
}
