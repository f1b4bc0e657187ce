/** The rows of a list of changes: a change, a group of changes, and the head. */

import { element } from '../dom.js'
import { moment, number, signed } from '../formats.js'
import { text } from '../language.js'
import { changeReason } from '../reasons.js'
import { symbol } from '../symbols.js'

/** @typedef {import('./change_list.js').Change} Change */

/**
 * @param {Change} change
 * @param {object} options
 * @param {((change: Change) => HTMLElement) | undefined} options.productOf
 * @param {() => void} options.undo
 * @param {boolean} options.isMember whether it belongs to a group
 */
export function changeRow(change, { productOf, undo, isMember }) {
  const when = moment(change.scanned_at ?? change.updated_at)
  const who = () => element('bdi', null, change.updated_by)
  const narrow = (/** @type {import('../dom.js').Child[]} */ ...first) =>
    element('div', { class: 'narrow-only soft' }, ...first, who(), ...reasonsOf(change, ' · '))
  const names = [isMember && 'member', change.undone_by !== null && 'undone']
  return element(
    'tr',
    { class: names.filter(Boolean).join(' '), 'data-change': change.id },
    productOf && element('td', { class: 'brief wide-only soft' }, when),
    productOf ? element('td', null, productOf(change), narrow(`${when} · `)) : element('td', null, when, narrow()),
    element('td', { class: 'number amount' }, signed(change.new_level - change.old_level), levelAfter(change)),
    element('td', { class: 'number wide-only' }, number(change.new_level)),
    element('td', { class: 'brief wide-only' }, who()),
    element('td', { class: 'brief wide-only' }, ...reasonsOf(change, '')),
    element('td', { class: 'action' }, change.undone_by === null && undoButton(change, undo)),
  )
}

/**
 * Return the row of a group, which opens it.
 *
 * @param {Change[]} group
 * @param {object} options
 * @param {boolean} options.isOpen
 * @param {() => void} options.toggle
 * @param {boolean} options.withProducts
 */
export function groupRow(group, { isOpen, toggle, withProducts }) {
  const [{ id, updated_at, scanned_at, updated_by, change_reason }] = /** @type {[Change]} */ (group)
  const count = group.length
  const when = moment(scanned_at ?? updated_at)
  const who = () => element('bdi', null, updated_by)
  const why = () => element('bdi', null, changeReason(change_reason))
  const button = element(
    'button',
    { type: 'button', class: 'plain', 'aria-expanded': String(isOpen), onclick: toggle },
    symbol('forward'),
    text('changes.group', { count }),
  )
  const sum = group.reduce((all, { old_level, new_level }) => all + new_level - old_level, 0)
  return element(
    'tr',
    { class: 'group', 'data-group': id },
    withProducts && element('td', { class: 'brief wide-only soft' }, when),
    element('td', null, button, element('div', { class: 'narrow-only soft' }, `${when} · `, who(), ' · ', why())),
    element('td', { class: 'number amount' }, signed(sum)),
    element('td', { class: 'wide-only' }),
    element('td', { class: 'brief wide-only' }, who()),
    element('td', { class: 'brief wide-only' }, why()),
    element('td', { class: 'action' }),
  )
}

/** @param {boolean} withProducts */
export function headOf(withProducts) {
  const titles = /** @type {[string, string][]} */ ([
    ['change.when', withProducts ? 'wide-only' : ''],
    ...(withProducts ? [['change.product', '']] : []),
    ['change.amount', 'number'],
    ['change.level', 'number wide-only'],
    ['change.who', 'wide-only'],
    ['change.why', 'wide-only'],
  ])
  const cells = titles.map(([key, name]) => element('th', { scope: 'col', class: name }, text(key)))
  const actions = element('th', { scope: 'col' }, element('span', { class: 'unseen' }, text('change.undo')))
  return element('thead', null, element('tr', null, ...cells, actions))
}

/**
 * @param {Change} change
 * @param {() => void} undo
 */
function undoButton(change, undo) {
  const amount = signed(change.new_level - change.old_level)
  const button = element(
    'button',
    {
      type: 'button',
      'aria-label': text('change.undo.of', { amount, product: change.product_code ?? '' }).trim(),
      onclick: () => {
        button.disabled = true
        undo()
      },
    },
    symbol('undo'),
    element('span', { class: 'wide-only' }, text('booking.undo')),
  )
  return button
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

/** @param {Change} change */
function levelAfter({ new_level }) {
  return element('div', { class: 'narrow-only soft' }, `→ ${number(new_level)}`)
}
