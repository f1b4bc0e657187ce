/**
 * The level of a product, and the steps that change it: take out, put in, count. They go through the stock changes of this
 * device, so that they also work offline. What waits there, or was refused, is below them.
 */

import { book, isUnsent, levelWithUnsent, listed, retry, undo } from '../bookings/store.js'
import { amountOf, moment, number } from '../formats.js'
import { text } from '../language.js'
import { LIMITS } from '../api.js'
import { MovementRow } from '../movement_row.js'
import { refusalText, whyNotStored } from '../reasons.js'
import { reasonsToChoose } from '../settings.js'
import { wholeNumber } from '../typed_values.js'
import { Button, Field, html, Icon, IconButton, Mark, useRef, useSignal, useSignalEffect } from '../ui.js'
import { LevelMark } from './cells.js'

/** @typedef {import('../types.js').Product} Product */
/** @typedef {import('../types.js').Signal<string>} Text */
/** @typedef {import('../bookings/booking.js').Booking} Booking */

/** The steps: the direction of each, its icon, and the text that names it with an amount, if it may be without one. */
const STEPS = /** @type {const} */ ([
  ['take-out', 'minus', 'steps.out'],
  ['put-in', 'add', 'steps.in'],
  ['set', 'set', ''],
])

/**
 * `settled` is called with each stock change of the product that the service has answered.
 *
 * @param {{product: Product, level: number, amount: Text, reason: Text, settled: (booking: Booking) => void}} props
 */
export function LevelCard({ product, level, amount, reason, settled }) {
  const { product_code: code, unit_of_measure: unit, minimum_level: minimum, maximum_level: maximum } = product
  const current = levelWithUnsent(code, level)
  const bounds = [
    minimum && text('product.minimum', { level: number(minimum) }),
    maximum && text('product.maximum', { level: number(maximum) }),
  ]
  return html`
    <section class="card product-level" aria-label=${text('product.current_level')}>
      <p class="figure" role="status">
        <strong>${number(current)}</strong> <bdi class="soft">${unit}</bdi> <${LevelMark} level=${current} minimum=${minimum} />
      </p>
      <p class="soft bounds">${bounds.filter(Boolean).join(' · ') || text('product.no-bounds')}</p>
      <${Steps} code=${code} amount=${amount} reason=${reason} settled=${settled} />
      <ol>
        ${listed.value
          .filter((booking) => booking.code.trim() === code && (isUnsent(booking) || booking.state === 'refused'))
          .map((booking) => html`<${OpenBooking} key=${booking.id} booking=${booking} />`)}
      </ol>
    </section>`
}

/** @param {{code: string, amount: Text, reason: Text, settled: (booking: Booking) => void}} props */
function Steps({ code, amount, reason, settled }) {
  const problem = useSignal('')
  const follow = useSettled(code, settled)
  const typed = wholeNumber(amount.value) ?? 1
  const press = async (/** @type {'take-out' | 'put-in' | 'set'} */ mode) => {
    const given = amount.value.trim() === '' && mode !== 'set' ? 1 : wholeNumber(amount.value)
    problem.value = given === null || (given === 0 && mode !== 'set') ? text('whole-number') : ''
    if (given === null || problem.value) return
    const change = mode === 'set' ? { level: given } : { delta: mode === 'put-in' ? given : -given }
    try {
      const { id } = await book({ code, ...change, reason: reason.value.trim() })
      amount.value = reason.value = ''
      follow(id)
    } catch (error) {
      problem.value = whyNotStored(error)
    }
  }
  const [out, into, count] = STEPS.map(
    ([mode, icon, key]) => html`
      <button key=${mode} type="button" data-mode=${mode} aria-label=${key ? text(key, { amount: typed }) : undefined} onclick=${() => void press(mode)}>
        <${Icon} name=${icon} />${!key && text(`mode.${mode}`)}
      </button>`,
  )
  const field = {
    inputmode: 'numeric',
    autocomplete: 'off',
    maxlength: 20,
    placeholder: '1',
    'aria-label': text('product.amount'),
  }
  const type = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) =>
    void (amount.value = currentTarget.value)
  return html`
    <div class="level-steps" role="group" aria-label=${text('product.current_level')}>
      ${out}<input type="text" value=${amount} oninput=${type} ...${field} />${into}${count}
    </div>
    ${problem.value && html`<p class="problem" role="alert">${problem}</p>`}
    <${Reason} reason=${reason} />`
}

/** Why the level is changed: a text, or one of the reasons of the shop. @param {{reason: Text}} props */
function Reason({ reason }) {
  const press = (/** @type {string} */ chosen) => void (reason.value = reason.value.trim() === chosen ? '' : chosen)
  const button = (/** @type {string} */ each) => html`
    <button type="button" key=${each} value=${each} aria-pressed=${String(reason.value.trim() === each)} onclick=${() => press(each)}><bdi>${each}</bdi></button>`
  const choices = reasonsToChoose()
  return html`
    <${Field} label=${text('product.reason')} value=${reason} type="text" autocomplete="off" maxlength=${LIMITS.reason} />
    ${
      choices.length > 0 &&
      html`
      <div class="reasons" role="group" aria-label=${text('product.reason')}>${choices.map(button)}</div>`
    }`
}

/**
 * Follow the stock changes of a product until the service has answered: those that wait, and those that the returned function
 * is called with. A fast answer may come before that.
 *
 * @param {string} code
 * @param {(booking: Booking) => void} settled
 */
function useSettled(code, settled) {
  const followed = useRef(/** @type {Set<number>} */ (new Set()))
  const look = () => {
    for (const booking of [...listed.value].reverse()) {
      if (booking.code.trim() !== code) continue
      if (isUnsent(booking)) followed.current.add(booking.id)
      else if (followed.current.delete(booking.id)) settled(booking)
    }
  }
  useSignalEffect(look)
  return (/** @type {number} */ id) => {
    followed.current.add(id)
    look()
  }
}

/** A stock change that waits, or that the service has refused. @param {{booking: Booking}} props */
function OpenBooking({ booking }) {
  const { id, delta, level, state, undoKey, scannedAt, reason, problem } = booking
  const isRefused = state === 'refused'
  const name = undoKey ? 'booking.undoing' : `booking.${state}`
  const facts = [
    scannedAt && moment(scannedAt),
    reason,
    problem && html`<span class="problem">${refusalText(problem)}</span>`,
  ]
  return html`
    <${MovementRow} value=${delta ?? 0} amount=${amountOf({ delta, level })} facts=${facts}
      name=${html`<${Mark} kind=${isRefused ? 'bad' : 'wait'}>${text(name)}<//>`}
    >
      ${isRefused && html`<${Button} onclick=${() => void retry(id)}>${text('booking.retry')}<//>`}
      ${
        !undoKey &&
        html`
        <${IconButton} icon=${isRefused ? 'bad' : 'undo'} label=${text(isRefused ? 'booking.drop' : 'booking.undo')}
          onclick=${() => void undo(id)} />`
      }
    <//>`
}
