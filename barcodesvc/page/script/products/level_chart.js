/** A level over time, drawn as steps: it stays until a change, then jumps. */

import { svg, element } from '../dom.js'
import { moment, number } from '../formats.js'
import { text } from '../language.js'

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
 * Return the chart of some changes.
 *
 * @param {readonly Change[]} changes newest first
 * @param {number} minimum the level at or below which stock is low; 0 for no minimum
 * @param {Date} now
 */
export function levelChart(changes, minimum, now) {
  const points = levelsOf(changes, now.getTime())
  const levels = points.map(({ level }) => level)
  const [most, least] = [Math.max(...levels), Math.min(...levels)]
  const top = Math.max(most, minimum, 1)
  const begin = moment(points[0]?.time ?? now, now)
  const line = steps(points, top)
  return element(
    'figure',
    { class: 'chart' },
    element('span', { class: 'top soft' }, number(top)),
    svg(
      'svg',
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        preserveAspectRatio: 'none',
        role: 'img',
        'aria-label': text('chart.says', { begin, least, most, level: levels.at(-1) ?? 0 }),
      },
      svg('path', { class: 'area', d: `${line}V${HEIGHT}H0Z` }),
      minimum > 0 && svg('path', { class: 'minimum', d: `M0 ${round(HEIGHT - (minimum / top) * HEIGHT)}H${WIDTH}` }),
      svg('path', { class: 'line', d: line }),
    ),
    element('span', { class: 'bottom soft' }, number(0)),
    element(
      'figcaption',
      { class: 'row apart soft' },
      element('span', null, begin),
      minimum > 0 && element('span', { class: 'minimum' }, text('chart.minimum', { level: minimum })),
      element('span', null, text('chart.now')),
    ),
  )
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10
}
