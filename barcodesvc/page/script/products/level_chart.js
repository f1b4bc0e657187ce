/** A level over time, drawn as steps: it stays until a change, then jumps. */

import { moment, number } from '../formats.js'
import { text } from '../language.js'
import { html } from '../ui.js'

/** The drawing in arbitrary units; the page stretches it. */
const WIDTH = 600
const HEIGHT = 120

/**
 * @typedef {{old_level: number, new_level: number, updated_at: string}} Change
 * @typedef {{time: number, level: number}} Point
 */

/**
 * Return the levels over time, from the oldest change until now.
 *
 * @param {readonly Change[]} changes newest first
 * @param {number} now in milliseconds
 * @returns {Point[]}
 */
export function levelsOf(changes, now) {
  const [newest, oldest] = [changes[0], changes.at(-1)]
  if (!newest || !oldest) return []
  const made = changes
    .map(({ new_level, updated_at }) => ({ time: Date.parse(updated_at), level: new_level }))
    .reverse()
  const first = { time: Date.parse(oldest.updated_at), level: oldest.old_level }
  return [first, ...made, { time: Math.max(now, Date.parse(newest.updated_at)), level: newest.new_level }]
}

/**
 * Return the steps as a path of SVG, in a box of these measures with the level 0 at its bottom.
 *
 * @param {readonly Point[]} points
 * @param {number} top the level at the upper edge, over 0
 * @param {number} [width]
 * @param {number} [height]
 */
export function steps(points, top, width = WIDTH, height = HEIGHT) {
  const [begin, end] = [points[0]?.time ?? 0, points.at(-1)?.time ?? 0]
  const x = (/** @type {number} */ time) => round(end === begin ? 0 : ((time - begin) / (end - begin)) * width)
  const y = (/** @type {number} */ level) => round(height - (level / top) * height)
  const [first, ...others] = points
  if (!first) return ''
  return [`M${x(first.time)} ${y(first.level)}`, ...others.map(({ time, level }) => `H${x(time)}V${y(level)}`)].join('')
}

/**
 * The chart of some movements; nothing for fewer than two.
 *
 * @param {{movements: readonly Change[], minimum: number, now: Date}} props newest first; the level at or below which stock is
 * low, 0 for no minimum
 */
export function LevelChart({ movements, minimum, now }) {
  if (movements.length < 2) return null
  const points = levelsOf(movements, now.getTime())
  const levels = points.map(({ level }) => level)
  const [most, least] = [Math.max(...levels), Math.min(...levels)]
  const top = Math.max(most, minimum, 1)
  const begin = moment(points[0]?.time ?? now, now)
  const line = steps(points, top)
  const says = text('chart.says', { begin, least, most, level: levels.at(-1) ?? 0 })
  const bound = `M0 ${round(HEIGHT - (minimum / top) * HEIGHT)}H${WIDTH}`
  return html`
    <figure class="chart">
      <span class="top soft">${number(top)}</span>
      <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label=${says}>
        <path class="area" d=${`${line}V${HEIGHT}H0Z`} />
        ${minimum > 0 && html`<path class="minimum" d=${bound} />`}
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

/** @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10
}
