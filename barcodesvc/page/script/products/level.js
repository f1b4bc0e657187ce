/**
 * The level of a product, over time and now, and the steps that change it: take out, put in, count. They go through the stock
 * changes of this device, so that they also work offline. What waits there, or was refused, is below them.
 */

import { LIMITS } from '../api.js'
import { book, isUnsent, levelWithUnsent, listed, retry, undo, whyNotStored } from '../bookings/store.js'
import { amountOf, moment, number, wholeNumber } from '../formats.js'
import { text } from '../language.js'
import { MovementRow } from '../movements.js'
import { reasonsToChoose } from '../settings.js'
import { Button, Field, html, Icon, IconButton, Mark, refusalText, useRef, useSignal, useSignalEffect } from '../ui.js'

/** @typedef {import('../types.js').Booking} Booking */
/** @typedef {import('../types.js').Signal<string>} Text */
/** @typedef {'take-out' | 'put-in' | 'set'} Mode */

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
  const reasons = reasonsToChoose()
  const reasonButton = (/** @type {string} */ each) => {
    const isChosen = reason.value.trim() === each
    return html`
      <button type="button" key=${each} aria-pressed=${String(isChosen)} onclick=${() => (reason.value = isChosen ? '' : each)}><bdi>${each}</bdi></button>`
  }
  const open = listed.value.filter((each) => each.code.trim() === code && (isUnsent(each) || each.state === 'refused'))
  return html`
    <section class="card product-level" aria-label=${text('product.current_level')}>
      <p class="figure" role="status">
        <strong>${number(current)}</strong> <bdi class="soft">${unit}</bdi> <${LevelMark} level=${current} minimum=${minimum} />
      </p>
      <p class="soft bounds">${bounds.filter(Boolean).join(' · ') || text('product.no-bounds')}</p>
      <${Steps} code=${code} amount=${amount} reason=${reason} follow=${useSettled(code, settled)} />
      <${Field} label=${text('product.reason')} value=${reason} type="text" autocomplete="off" maxlength=${LIMITS.reason} />
      ${reasons.length > 0 && html`<div class="reasons" role="group" aria-label=${text('product.reason')}>${reasons.map(reasonButton)}</div>`}
      <ol>${open.map((booking) => html`<${OpenBooking} key=${booking.id} booking=${booking} />`)}</ol>
    </section>`
}

/** @param {{code: string, amount: Text, reason: Text, follow: (id: number) => void}} props */
function Steps({ code, amount, reason, follow }) {
  const problem = useSignal('')
  const press = async (/** @type {Mode} */ mode) => {
    const isCount = mode === 'set'
    const typed = wholeNumber(amount.value.trim() || (isCount ? '' : '1'))
    problem.value = typed === null || (typed === 0 && !isCount) ? text('whole-number') : ''
    if (typed === null || problem.value) return
    const change = isCount ? { level: typed } : { delta: mode === 'put-in' ? typed : -typed }
    try {
      const { id } = await book({ code, ...change, reason: reason.value.trim() })
      amount.value = reason.value = ''
      follow(id)
    } catch (error) {
      problem.value = whyNotStored(error)
    }
  }
  const given = { amount: wholeNumber(amount.value) ?? 1 }
  const button = (/** @type {Mode} */ mode, /** @type {string} */ icon, label = '') => html`
    <button type="button" data-mode=${mode} aria-label=${label || undefined} onclick=${() => void press(mode)}>
      <${Icon} name=${icon} />${!label && text(`mode.${mode}`)}
    </button>`
  const type = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) =>
    void (amount.value = currentTarget.value)
  return html`
    <div class="level-steps" role="group" aria-label=${text('product.current_level')}>
      ${button('take-out', 'minus', text('steps.out', given))}
      <input type="text" inputmode="numeric" autocomplete="off" maxlength="20" placeholder="1" aria-label=${text('product.amount')}
        value=${amount} oninput=${type} />
      ${button('put-in', 'add', text('steps.in', given))} ${button('set', 'set')}
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
 * The level over time, from the oldest of some movements until now. Nothing for fewer than two.
 *
 * @param {{movements: readonly import('../types.js').Movement[], minimum: number, now: Date}} props newest first
 */
export function LevelChart({ movements, minimum, now }) {
  const [newest, oldest] = [movements[0], movements.at(-1)]
  if (!newest || !oldest || newest === oldest) return null
  const levels = [oldest.old_level, ...movements.map(({ new_level }) => new_level)]
  const [least, most] = [Math.min(...levels), Math.max(...levels)]
  const top = Math.max(most, minimum, 1)
  const begin = moment(oldest.updated_at, now)
  const line = stepsOf(movements, now.getTime(), top)
  return html`
    <figure class="chart">
      <span class="top soft">${number(top)}</span>
      <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img"
        aria-label=${text('chart.says', { begin, least, most, level: newest.new_level })}>
        <path class="area" d=${`${line}V${HEIGHT}H0Z`} />
        ${minimum > 0 && html`<path class="minimum" d=${`M0 ${HEIGHT - (minimum / top) * HEIGHT}H${WIDTH}`} />`}
        <path class="line" d=${line} />
      </svg>
      <span class="bottom soft">${number(0)}</span>
      <figcaption class="row apart soft">
        <span>${begin}</span>
        ${minimum > 0 && html`<span class="minimum">${`╌ ${text('product.minimum', { level: minimum })}`}</span>`}
        <span>${text('chart.now')}</span>
      </figcaption>
    </figure>`
}

/**
 * Return the level over time as a path of SVG, from 0 at the bottom to `top`: it stays until a movement, then jumps.
 *
 * @param {readonly {old_level: number, new_level: number, updated_at: string}[]} movements newest first
 * @param {number} now in milliseconds; a clock behind the service's ends the line at the newest movement
 * @param {number} top
 */
export function stepsOf(movements, now, top, width = WIDTH, height = HEIGHT) {
  const oldestFirst = [...movements].reverse()
  const times = oldestFirst.map(({ updated_at }) => Date.parse(updated_at))
  const [begin = 0, end] = [times[0], Math.max(now, times.at(-1) ?? 0)]
  const round = (/** @type {number} */ value) => Math.round(value * 10) / 10
  const x = (/** @type {number} */ time) => round(((time - begin) / (end - begin || 1)) * width)
  const y = (/** @type {number} */ level) => round(height - (level / top) * height)
  const steps = oldestFirst.map(({ new_level }, index) => `H${x(times[index] ?? 0)}V${y(new_level)}`)
  return `M0 ${y(oldestFirst[0]?.old_level ?? 0)}${steps.join('')}H${x(end)}`
}
