/** Changes of levels, newest first: when, of what, by whom and why; each can be undone once. */

import { ask, Refusal } from '../api.js'
import { newKey } from '../bookings/booking.js'
import { element, fill } from '../dom.js'
import { moment, number, signed } from '../formats.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { changeReason } from '../reasons.js'
import { authorGiven } from './author_question.js'
import { symbol } from '../symbols.js'
import { failure, reasonOf } from './failure.js'

/** Changes of one page. */
const PAGE = 50

/**
 * A change as the API lists it; over all products with the product's code and description.
 *
 * @typedef {{id: number, product_id: number, old_level: number, new_level: number, change_reason: string, updated_by: string, updated_at: string, scanned_at: string | null, undoes: number | null, undone_by: number | null, product_code?: string, description?: string}} Change
 *
 * @typedef {object} Wanted
 * @property {(before: {before?: number, limit: number}) => Promise<Change[]>} load
 * @property {string} none shown if there are no changes
 * @property {(change: Change) => HTMLElement} [productOf] makes the cell of the product, if there are several
 * @property {(change: Change, isNew: boolean) => void} [seen] called with each change that is shown for the first time
 * @property {AbortSignal} signal
 */

/** @param {Wanted} wanted */
export function changeList({ load, none, productOf, seen, signal }) {
  const rows = element('tbody')
  const table = element('table', { class: 'changes-table', hidden: true }, head(productOf !== undefined), rows)
  const below = element('div', { class: 'below' })
  const node = element('div', { class: 'fitting' }, table, below)
  /** @type {Map<number, {change: Change, row: HTMLElement}>} */
  const shown = new Map()
  /** Keys of undos without a response yet, so that a second try counts once. @type {Map<number, string>} */
  const keys = new Map()
  let turn = 0

  /** Reload the list. */
  async function reload() {
    shown.clear()
    await more(++turn)
  }

  /** @param {number} mine */
  async function more(mine) {
    const last = [...shown.keys()].at(-1)
    node.setAttribute('aria-busy', 'true')
    try {
      const found = await load({ ...(last === undefined ? {} : { before: last }), limit: PAGE })
      if (mine === turn) add(found, last === undefined)
    } catch (error) {
      if (mine === turn && !signal.aborted)
        fill(
          below,
          failure(error, () => void more(mine)),
        )
    } finally {
      node.removeAttribute('aria-busy')
    }
  }

  /**
   * @param {Change[]} found
   * @param {boolean} anew
   */
  function add(found, anew) {
    if (anew) fill(rows)
    for (const change of found) show(change, (row) => rows.append(row))
    table.hidden = shown.size === 0
    const mine = turn
    const older = element('button', { type: 'button', onclick: () => void more(mine) }, text('changes.older'))
    fill(below, shown.size === 0 && element('p', { class: 'soft' }, none), found.length === PAGE && older)
  }

  /**
   * @param {Change} change
   * @param {(row: HTMLElement) => void} place
   */
  function show(change, place) {
    const row = lineOf(change)
    shown.set(change.id, { change, row })
    place(row)
    seen?.(change, false)
  }

  /** @param {Change} change */
  function lineOf(change) {
    const when = moment(change.scanned_at ?? change.updated_at)
    const who = () => element('bdi', null, change.updated_by)
    const narrow = (/** @type {import('../dom.js').Child[]} */ ...first) =>
      element('div', { class: 'narrow-only soft' }, ...first, who(), ...reasonsOf(change, ' · '))
    return element(
      'tr',
      { class: change.undone_by === null ? '' : 'undone', 'data-change': change.id },
      productOf && element('td', { class: 'brief wide-only' }, when),
      productOf ? element('td', null, productOf(change), narrow(`${when} · `)) : element('td', null, when, narrow()),
      element('td', { class: 'number amount' }, signed(change.new_level - change.old_level), then(change.new_level)),
      element('td', { class: 'number wide-only' }, number(change.new_level)),
      element('td', { class: 'brief wide-only' }, who()),
      element('td', { class: 'brief wide-only' }, ...reasonsOf(change, '')),
      element('td', { class: 'action' }, change.undone_by === null && undoButton(change)),
    )
  }

  /** @param {Change} change */
  function undoButton(change) {
    const amount = signed(change.new_level - change.old_level)
    const button = element(
      'button',
      {
        type: 'button',
        'aria-label': text('change.undo.of', { amount, product: change.product_code ?? '' }).trim(),
        onclick: () => {
          button.disabled = true
          void undo(change)
        },
      },
      symbol('undo'),
      element('span', { class: 'wide-only' }, text('booking.undo')),
    )
    return button
  }

  /** @param {Change} change */
  async function undo(change) {
    const key = keys.get(change.id) ?? newKey()
    keys.set(change.id, key)
    const body = { idempotency_key: key, updated_at: change.updated_at, updated_by: await authorGiven() }
    try {
      undone(change, await ask('POST', `/api/inventory/changes/${change.id}/undo`, { body }))
      keys.delete(change.id)
    } catch (error) {
      refused(change, error)
    }
  }

  /**
   * @param {Change} change
   * @param {Change} made
   */
  function undone(change, made) {
    replace({ ...change, undone_by: made.id })
    const { product_code, description } = change
    const known = product_code === undefined ? made : { ...made, product_code, description: description ?? '' }
    const row = lineOf(known)
    rows.prepend(row)
    const later = new Map(shown)
    shown.clear()
    shown.set(known.id, { change: known, row })
    for (const [id, each] of later) shown.set(id, each)
    row.querySelector('button')?.focus({ preventScroll: true })
    announce(text('change.taken-back', { level: made.new_level }))
    seen?.(known, true)
  }

  /**
   * @param {Change} change
   * @param {unknown} error
   */
  function refused(change, error) {
    const { reason, undone_by = null, current_level } = error instanceof Refusal ? error.details : {}
    if (error instanceof Refusal) keys.delete(change.id)
    replace({ ...change, undone_by })
    const cannot = reason === 'level_out_of_range' && text('change.undo.level', { level: current_level })
    announce(cannot || reasonOf(error), 'bad')
  }

  /** @param {Change} change */
  function replace(change) {
    const before = shown.get(change.id)
    if (!before) return
    const row = lineOf(change)
    before.row.replaceWith(row)
    row.querySelector('button')?.focus({ preventScroll: true })
    shown.set(change.id, { change, row })
  }

  return { node, reload, changes: () => [...shown.values()].map(({ change }) => change) }
}

/** @param {boolean} withProducts */
function head(withProducts) {
  const titles = [
    'change.when',
    withProducts && 'change.product',
    'change.amount',
    'change.level',
    'change.who',
    'change.why',
  ]
  const classOf = (/** @type {string} */ key) => {
    if (key === 'change.product') return ''
    if (key === 'change.amount') return 'number'
    if (key === 'change.level') return 'number wide-only'
    return key === 'change.when' && !withProducts ? '' : 'wide-only'
  }
  const cells = titles.flatMap((key) => (key ? [element('th', { scope: 'col', class: classOf(key) }, text(key))] : []))
  const actions = element('th', { scope: 'col' }, element('span', { class: 'unseen' }, text('change.undo')))
  return element('thead', null, element('tr', null, ...cells, actions))
}

/**
 * Return why a change was made, and whether it still counts.
 *
 * @param {Change} change
 * @param {string} separator in front of each
 */
function reasonsOf({ undoes, undone_by, change_reason }, separator) {
  const reasons = [
    undone_by !== null && element('span', { class: 'mark' }, text('change.undone')),
    undoes !== null && text('change.undoes'),
    change_reason && element('bdi', null, changeReason(change_reason)),
  ]
  return reasons.filter(Boolean).flatMap((each, index) => [index ? ' · ' : separator, each])
}

/** @param {number} level after a change */
function then(level) {
  return element('div', { class: 'narrow-only soft' }, `→ ${number(level)}`)
}
