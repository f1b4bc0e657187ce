/**
 * The level of a product, over time and now, and the steps that change it: take out, put in, count. They go through the stock
 * changes of this device, so that they also work offline. What waits there, or was refused, is below them.
 */

import { LIMITS } from '../api.js'
import { book, isUnsent, levelWithUnsent, listed, retry, undo } from '../bookings/store.js'
import { amountOf, moment, number, wholeNumber } from '../formats.js'
import { text } from '../language.js'
import { MovementRow } from '../movements.js'
import { refusalText, whyNotStored } from '../reasons.js'
import { Reasons } from '../scan/reasons.js'
import { Button, Field, html, Icon, IconButton, Mark, useRef, useSignal, useSignalEffect } from '../ui.js'

/** @typedef {import('../types.js').Booking} Booking */
/** @typedef {import('../types.js').Signal<string>} Text */

/** The steps: the direction of each, its icon, and the text that names it with an amount, if it may be without one. */
const STEPS = /** @type {const} */ ([
  ['take-out', 'minus', 'steps.out'],
  ['put-in', 'add', 'steps.in'],
  ['set', 'set', ''],
])

/** The chart in arbitrary units; the page stretches it. */
const [WIDTH, HEIGHT] = [600, 120]

/** A mark for a level of 0, or one at or below the minimum. @param {{level: number, minimum: number}} props */
export function LevelMark({ level, minimum }) {
  if (level === 0) return html`<${Mark} kind="bad">${text('products.stock.out')}<//>`
  return minimum > 0 && level <= minimum && html`<${Mark} kind="wait">${text('low')}<//>`
}

/**
 * `settled` is called with each stock change of the product that the service has answered.
 *
 * @param {{product: import('../types.js').Product, level: number, amount: Text, reason: Text, settled: (booking: Booking) => void}} props
 */
export function LevelCard({ product, level, amount, reason, settled }) {
  const { product_code: code, unit_of_measure: unit, minimum_level: minimum, maximum_level: maximum } = product
  const current = levelWithUnsent(code, level)
  const bounds = [
    minimum && text('product.minimum', { level: number(minimum) }),
    maximum && text('product.maximum', { level: number(maximum) }),
  ]
  const open = listed.value.filter((each) => each.code.trim() === code && (isUnsent(each) || each.state === 'refused'))
  return html`
    <section class="card product-level" aria-label=${text('product.current_level')}>
      <p class="figure" role="status">
        <strong>${number(current)}</strong> <bdi class="soft">${unit}</bdi> <${LevelMark} level=${current} minimum=${minimum} />
      </p>
      <p class="soft bounds">${bounds.filter(Boolean).join(' · ') || text('product.no-bounds')}</p>
      <${Steps} code=${code} amount=${amount} reason=${reason} follow=${useSettled(code, settled)} />
      <${Field} label=${text('product.reason')} value=${reason} type="text" autocomplete="off" maxlength=${LIMITS.reason} />
      <${Reasons} value=${reason.value.trim()} choose=${(/** @type {string} */ chosen) => (reason.value = chosen)} />
      <ol>${open.map((booking) => html`<${OpenBooking} key=${booking.id} booking=${booking} />`)}</ol>
    </section>`
}

/** @param {{code: string, amount: Text, reason: Text, follow: (id: number) => void}} props */
function Steps({ code, amount, reason, follow }) {
  const problem = useSignal('')
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
  const [out, into, count] = STEPS.map(([mode, icon, key]) => {
    const label = key ? text(key, { amount: wholeNumber(amount.value) ?? 1 }) : undefined
    return html`
      <button key=${mode} type="button" data-mode=${mode} aria-label=${label} onclick=${() => void press(mode)}>
        <${Icon} name=${icon} />${!key && text(`mode.${mode}`)}
      </button>`
  })
  const type = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) =>
    void (amount.value = currentTarget.value)
  return html`
    <div class="level-steps" role="group" aria-label=${text('product.current_level')}>
      ${out}
      <input type="text" inputmode="numeric" autocomplete="off" maxlength="20" placeholder="1" aria-label=${text('product.amount')}
        value=${amount} oninput=${type} />
      ${into}${count}
    </div>
    ${problem.value && html`<p class="problem" role="alert">${problem}</p>`}`
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
  const name = html`<${Mark} kind=${isRefused ? 'bad' : 'wait'}>${text(undoKey ? 'booking.undoing' : `booking.${state}`)}<//>`
  const why = problem && html`<span class="problem">${refusalText(problem, delta)}</span>`
  const facts = [scannedAt && moment(scannedAt), reason, why]
  return html`
    <${MovementRow} value=${delta ?? 0} amount=${amountOf({ delta, level })} facts=${facts} name=${name}>
      ${isRefused && html`<${Button} onclick=${() => void retry(id)}>${text('booking.retry')}<//>`}
      ${
        !undoKey &&
        html`
        <${IconButton} icon=${isRefused ? 'bad' : 'undo'} label=${text(isRefused ? 'booking.drop' : 'booking.undo')}
          onclick=${() => void undo(id)} />`
      }
    <//>`
}

/**
 * The level over time, from the oldest of some movements until now, drawn as steps: it stays until a movement, then jumps.
 * Nothing for fewer than two movements.
 *
 * @param {{movements: readonly import('../types.js').Movement[], minimum: number, now: Date}} props newest first
 */
export function LevelChart({ movements, minimum, now }) {
  const [first] = levelsOf(movements, now.getTime())
  if (movements.length < 2 || !first) return null
  const levels = [first.level, ...movements.map(({ new_level }) => new_level)]
  const [least, most] = [Math.min(...levels), Math.max(...levels)]
  const top = Math.max(most, minimum, 1)
  const begin = moment(first.time, now)
  const line = steps(levelsOf(movements, now.getTime()), top)
  const says = text('chart.says', { begin, least, most, level: movements[0]?.new_level ?? 0 })
  return html`
    <figure class="chart">
      <span class="top soft">${number(top)}</span>
      <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label=${says}>
        <path class="area" d=${`${line}V${HEIGHT}H0Z`} />
        ${minimum > 0 && html`<path class="minimum" d=${`M0 ${HEIGHT - (minimum / top) * HEIGHT}H${WIDTH}`} />`}
        <path class="line" d=${line} />
      </svg>
      <span class="bottom soft">${number(0)}</span>
      <figcaption class="row apart soft">
        <span>${begin}</span>
        ${minimum > 0 && html`<span class="minimum">${text('chart.minimum', { level: minimum })}</span>`}
        <span>${text('chart.now')}</span>
      </figcaption>
    </figure>`
}

/**
 * Return the levels over time, from the oldest change until now.
 *
 * @param {readonly {old_level: number, new_level: number, updated_at: string}[]} changes newest first
 * @param {number} now in milliseconds
 */
export function levelsOf(changes, now) {
  const [newest, oldest] = [changes[0], changes.at(-1)]
  if (!newest || !oldest) return []
  const made = changes.map(({ new_level: level, updated_at }) => ({ time: Date.parse(updated_at), level })).reverse()
  const last = { time: Math.max(now, Date.parse(newest.updated_at)), level: newest.new_level }
  return [{ time: Date.parse(oldest.updated_at), level: oldest.old_level }, ...made, last]
}

/**
 * Return the steps as a path of SVG, in a box with the level 0 at its bottom, and this one, over 0, at its top.
 *
 * @param {ReturnType<typeof levelsOf>} points
 * @param {number} top
 */
export function steps(points, top, width = WIDTH, height = HEIGHT) {
  const [begin, end] = [points[0]?.time ?? 0, points.at(-1)?.time ?? 0]
  const round = (/** @type {number} */ value) => Math.round(value * 10) / 10
  const x = (/** @type {number} */ time) => round(end === begin ? 0 : ((time - begin) / (end - begin)) * width)
  const y = (/** @type {number} */ level) => round(height - (level / top) * height)
  const [first, ...others] = points
  return first
    ? [`M${x(first.time)} ${y(first.level)}`, ...others.map(({ time, level }) => `H${x(time)}V${y(level)}`)].join('')
    : ''
}
