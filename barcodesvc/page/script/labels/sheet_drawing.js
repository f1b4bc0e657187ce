/** A sheet of labels drawn to scale, to choose the first free label by a tap or with the arrow keys. */

import { svg, fill } from '../dom.js'
import { text } from '../language.js'
import { capacity, labelsOf, pageOf, stateOf, stepped } from './sheets.js'

/** The least side of a label under a finger, in CSS pixels (WCAG 2.2, 2.5.8). */
const TOUCH = 24

/** @typedef {import('./sheets.js').Sheet} Sheet */

/**
 * @param {(position: number) => void} choose called with the position of the label that was chosen, from 1
 */
export function sheetDrawing(choose) {
  /** @type {Sheet | null} */
  let shown = null
  let chosen = 1
  const node = svg('svg', {
    class: 'sheet',
    role: 'slider',
    tabindex: 0,
    'aria-label': text('labels.first'),
    'aria-valuemin': 1,
    onclick: (/** @type {MouseEvent} */ event) => tapped(/** @type {SVGElement} */ (event.target)),
    onkeydown: (/** @type {KeyboardEvent} */ event) => pressed(event),
  })

  /** @param {SVGElement} cell */
  function tapped(cell) {
    const position = Number(cell.dataset['position'])
    if (position) choose(position)
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    const next = shown && stepped(shown, chosen, event.key)
    if (!next) return
    event.preventDefault()
    choose(next)
  }

  /** @param {Sheet} sheet */
  function draw(sheet) {
    const [width, height] = pageOf(sheet)
    const scale = TOUCH / Math.min(sheet.label_width, sheet.label_height)
    node.setAttribute('viewBox', `-1 -1 ${width + 2} ${height + 2}`)
    node.setAttribute('width', String(Math.round((width + 2) * scale)))
    node.setAttribute('aria-valuemax', String(capacity(sheet)))
    const cells = labelsOf(sheet).map(({ position, x, y, width: across, height: down }) =>
      svg('rect', { x, y, width: across, height: down, rx: 1, 'data-position': position }),
    )
    fill(node, svg('rect', { class: 'paper', x: 0, y: 0, width, height }), ...cells)
  }

  return {
    node,
    /**
     * Show what is printed on a sheet: used labels look different from those to print.
     *
     * @param {Sheet} sheet
     * @param {number} first position of the first label that is printed, from 1
     * @param {number} count number of labels to print
     */
    show(sheet, first, count) {
      if (shown?.sheet !== sheet.sheet) draw(sheet)
      shown = sheet
      chosen = first
      node.setAttribute('aria-valuenow', String(first))
      node.setAttribute('aria-valuetext', text('labels.first.of', { first, last: capacity(sheet) }))
      for (const cell of /** @type {NodeListOf<SVGElement>} */ (node.querySelectorAll('[data-position]'))) {
        cell.setAttribute('class', stateOf(Number(cell.dataset['position']), first, count))
      }
    },
  }
}
