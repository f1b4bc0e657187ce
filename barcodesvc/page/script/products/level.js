/**
 * The level of a product, over time and now, and the steps that change it: take out, put in, count. They go through the stock
 * changes of this device, so that they also work offline. What waits there, or was refused, is below them.
 */

import { LIMITS } from '../api.js'
import { opened } from '../bookings/sending.js'
import { book, isUnsent, levelWithUnsent, listed, whyNotStored } from '../bookings/store.js'
import { moment, number, wholeNumber } from '../formats.js'
import { text } from '../language.js'
import { BookingRow } from '../scan/list.js'
import { Reasons } from '../scan/pad.js'
import { Field, html, Icon, Mark, useEffect, useRef, useSignal } from '../ui.js'

/** @typedef {import('../types.js').Booking} Booking */
/** @typedef {import('../types.js').Signal<string>} Text */

/** The chart in arbitrary units; the page stretches it. */
const [WIDTH, HEIGHT] = [600, 120]

/** A mark for a level of 0, or one at or below the minimum. @param {{level: number, minimum: number}} props */
export function LevelMark({ level, minimum }) {
  if (level === 0) return html`<${Mark} kind="bad">${text('products.stock.out')}<//>`
  return minimum > 0 && level <= minimum && html`<${Mark} kind="wait">${text('low')}<//>`
}

/** `settled` is called with each stock change of the product that the service has answered. @param {{product: import('../types.js').Product, level: number, amount: Text, reason: Text, settled: (booking: Booking) => void}} props */
export function LevelCard({ product, level, amount, reason, settled }) {
  const { product_code: code, unit_of_measure: unit, minimum_level: minimum, maximum_level: maximum } = product
  const current = levelWithUnsent(new Map([[code, 1]]), level)
  const bounds = [
    minimum && text('product.minimum', { level: number(minimum) }),
    maximum && text('product.maximum', { level: number(maximum) }),
  ]
  const isOpen = (/** @type {Booking} */ each) => isUnsent(each) || each.state === 'refused'
  const isIts = (/** @type {Booking} */ each) => each.code.trim() === code
  const list = useRef(/** @type {HTMLElement | null} */ (null))
  useEffect(() => {
    const ended = new AbortController()
    const told = (/** @type {Event} */ event) =>
      /** @type {CustomEvent<Booking[]>} */ (event).detail
        .filter((each) => isIts(each) && !isUnsent(each))
        .forEach(settled)
    void opened.then(({ queue }) => {
      for (const type of ['change', 'elsewhere']) queue.addEventListener(type, told, { signal: ended.signal })
    })
    return () => ended.abort()
  }, [])
  return html`
    <section class="card product-level" aria-label=${text('product.current_level')}>
      <p class="figure" role="status">
        <strong>${number(current)}</strong> <bdi class="soft">${unit}</bdi> <${LevelMark} level=${current} minimum=${minimum} />
      </p>
      <p class="soft bounds">${bounds.filter(Boolean).join(' · ') || text('product.no-bounds')}</p>
      <${Steps} code=${code} amount=${amount} reason=${reason} />
      <${Field} label=${text('product.reason')} value=${reason} type="text" autocomplete="off" maxlength=${LIMITS.reason} />
      <${Reasons} reason=${reason} />
      <ol tabindex="-1" ref=${list}>
        ${listed.value.filter((each) => isIts(each) && isOpen(each)).map((each) => html`<${BookingRow} key=${each.id} booking=${each} list=${list} />`)}
      </ol>
    </section>`
}

/** @param {{code: string, amount: Text, reason: Text}} props */
function Steps({ code, amount, reason }) {
  const problem = useSignal('')
  const press = async (/** @type {string} */ mode) => {
    const isCount = mode === 'set'
    const typed = wholeNumber(amount.value.trim() || (isCount ? '' : '1'))
    problem.value = typed === null || (typed === 0 && !isCount) ? text('whole-number') : ''
    if (typed === null || problem.value) return
    const change = isCount ? { level: typed } : { delta: mode === 'put-in' ? typed : -typed }
    try {
      await book({ code, ...change, reason: reason.value.trim() })
      amount.value = reason.value = ''
    } catch (error) {
      problem.value = whyNotStored(error)
    }
  }
  const given = { amount: wholeNumber(amount.value) ?? 1 }
  const button = (/** @type {string} */ mode, /** @type {string} */ icon, label = '') => html`
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

/** The level over time, from the oldest of some movements until now. Nothing for fewer than two. @param {{movements: readonly import('../types.js').Movement[], minimum: number, now: Date}} props newest first */
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
 * Return the level over time as a path of SVG, from 0 at the bottom to `top`: it stays until a movement, then jumps. The
 * movements are newest first; a clock behind the service's ends the line at the newest one.
 *
 * @param {readonly {old_level: number, new_level: number, updated_at: string}[]} movements @param {number} now @param {number} top
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
