/**
 * A row of movements or of stock changes, which looks the same in each list: by how much, of what, and below that what the
 * level became, who did it, when and why.
 */

import { moment, number, signed } from './formats.js'
import { text } from './language.js'
import { changeReason } from './reasons.js'
import { Difference, Fragment, html, IconButton, Mark } from './ui.js'

/** @typedef {import('./types.js').Children} Children */
/** @typedef {import('./types.js').Movement} Movement */

/**
 * A row. `amount` is shown instead of the difference where that is not known yet; `facts` are below the name, and those that
 * are empty are left out; `children` are its actions.
 *
 * @param {{value: number, amount?: string, name: Children, code?: string, href?: string, facts: Children[], isUndone?: boolean, children?: Children} & Record<string, unknown>} props
 */
export function MovementRow({ value, amount, name, code, href, facts, isUndone = false, children, ...more }) {
  const words = html`<bdi>${name}</bdi>${code && html` <bdi class="code soft">${code}</bdi>`}`
  return html`
    <li class="list-row ${isUndone ? 'undone' : ''}" ...${more}>
      <${Difference} value=${value}>${amount ?? signed(value)}<//>
      <div>
        <div class="clamped">${href ? html`<a href=${href}>${words}</a>` : words}</div>
        <div class="second">${separated(facts)}</div>
      </div>
      <div class="row">${children}</div>
    </li>`
}

/**
 * A movement of the service: with its product, if the list has several, else with what the level became. `undo` is called
 * to take it back; without it, there is no button.
 *
 * @param {{movement: Movement, undo?: (() => void) | undefined, isDisabled?: boolean} & Record<string, unknown>} props
 */
export function MovementOf({ movement, undo, isDisabled = false, ...more }) {
  const { product_id, product_code, description, old_level, new_level, undoes, undone_by } = movement
  const [value, became] = [new_level - old_level, `${number(old_level)} → ${number(new_level)}`]
  const isOfSeveral = product_code !== undefined
  const product = { name: description, code: product_code, href: `#products/${product_id}` }
  const facts = [isOfSeveral && became, ...originOf(movement), undoes !== null && text('change.undoes')]
  const undone = undone_by !== null && html`<${Mark}>${text('booking.undone')}<//>`
  const label = text('change.undo.of', { amount: signed(value), product: product_code ?? '' }).trim()
  return html`
    <${MovementRow}
      value=${value} ...${isOfSeveral ? product : { name: became }} facts=${[undone, ...facts]} isUndone=${!!undone} ...${more}
    >
      ${undo && !undone && html`<${IconButton} icon="undo" label=${label} disabled=${isDisabled} onclick=${undo} />`}
    <//>`
}

/**
 * The movements of one import: a row that opens.
 *
 * @param {{movements: Movement[], isOpen: boolean, toggle: () => void} & Record<string, unknown>} props
 */
export function ImportRow({ movements, isOpen, toggle, ...more }) {
  const value = movements.reduce((sum, { old_level, new_level }) => sum + new_level - old_level, 0)
  const facts = originOf(/** @type {Movement} */ (movements[0]))
  const name = html`
    <button type="button" class="plain" aria-expanded=${String(isOpen)} onclick=${toggle}>
      ${text('changes.group', { count: movements.length })}
    </button>`
  return html`<${MovementRow} value=${value} name=${name} facts=${facts} ...${more} />`
}

/** Who made a movement, when, and why. @param {Movement} movement */
function originOf({ scanned_at, updated_at, updated_by, change_reason }) {
  return [
    html`<bdi>${updated_by}</bdi>`,
    moment(scanned_at ?? updated_at),
    change_reason && html`<bdi>${changeReason(change_reason)}</bdi>`,
  ]
}

/** @param {Children[]} facts */
function separated(facts) {
  const shown = facts.filter(Boolean)
  return shown.map((fact, index) => html`<${Fragment} key=${index}>${index > 0 && ' · '}${fact}<//>`)
}
