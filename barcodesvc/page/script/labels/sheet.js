/** The sheet that is printed on, or a roll by the size of its labels; and its drawing, on which the first free label is chosen. */

import { text } from '../language.js'
import { Field, html } from '../ui.js'
import { capacity, labelSize, labelsOf, pageOf, roll, sheetNamed, sheetsByPaper, stateOf, stepped } from './sheets.js'

/** @typedef {import('../types.js').Sheet} Sheet */

/** The values of the choice for a roll, and for the arrangement of a saved layout, which names no sheet. */
const ROLL = 'roll'
const OF_LAYOUT = ''

/** The size that is offered for a roll. */
const USUAL_ROLL = '50x30mm'

/** The least side of a label under a finger, in CSS pixels (WCAG 2.2, 2.5.8). */
const TOUCH = 24

/**
 * The choice of a sheet. `name` is that of a sheet, what is typed as the size of a roll, or null for the arrangement of the
 * layout.
 *
 * @param {{sheets: Sheet[], name: string | null, isArranged: boolean, choose: (name: string | null) => void}} props `isArranged` offers the
 *   arrangement of a saved layout
 */
export function SheetChoice({ sheets, name, isArranged, choose }) {
  const known = sheets.find((each) => name !== null && each === sheetNamed(sheets, name))
  const value = name === null ? OF_LAYOUT : (known?.sheet ?? ROLL)
  const select = (/** @type {{currentTarget: HTMLSelectElement}} */ { currentTarget: { value: chosen } }) =>
    choose(chosen === ROLL ? USUAL_ROLL : chosen === OF_LAYOUT ? null : chosen)
  const option = (/** @type {string} */ each, /** @type {string} */ shown) =>
    html`<option key=${each} value=${each} selected=${each === value}>${shown}</option>`
  return html`
    <label class="field">
      <span>${text('labels.sheet')}</span>
      <select value=${value} onchange=${select}>
        ${isArranged && option(OF_LAYOUT, text('labels.sheet.of-layout'))}
        ${sheetsByPaper(sheets).map(
          ([paper, group]) => html`
            <optgroup key=${paper} label=${paper}>
              ${group.map((sheet) => option(sheet.sheet, `${sheet.sheet} · ${labelSize(sheet)}`))}
            </optgroup>`,
        )}
        <optgroup label=${text('labels.roll')}>${option(ROLL, text('labels.roll.any'))}</optgroup>
      </select>
    </label>
    ${
      value === ROLL &&
      html`
        <${Field} label=${text('labels.roll.size')} value=${name} maxlength="20" autocomplete="off"
          problem=${roll(name ?? '') ? '' : text('labels.roll.wrong')}
          oninput=${(/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) => choose(currentTarget.value)} />`
    }`
}

/**
 * A sheet drawn to scale: used labels look different from those to print. A tap or the arrow keys choose the first label.
 *
 * @param {{sheet: Sheet, first: number, count: number, choose: (position: number) => void}} props
 */
export function SheetDrawing({ sheet, first, count, choose }) {
  const [width, height] = pageOf(sheet)
  const scale = TOUCH / Math.min(sheet.label_width, sheet.label_height)
  const press = (/** @type {KeyboardEvent} */ event) => {
    const next = stepped(sheet, first, event.key)
    if (!next) return
    event.preventDefault()
    choose(next)
  }
  return html`
    <div class="paper-holder">
      <svg class="sheet" role="slider" tabindex="0" aria-label=${text('labels.first')} aria-valuemin="1"
        aria-valuemax=${capacity(sheet)} aria-valuenow=${first}
        aria-valuetext=${text('labels.first.of', { first, last: capacity(sheet) })}
        viewBox=${`-1 -1 ${width + 2} ${height + 2}`} width=${Math.round((width + 2) * scale)} onkeydown=${press}>
        <rect class="paper" x="0" y="0" width=${width} height=${height} />
        ${labelsOf(sheet).map(
          ({ position, x, y, width: across, height: down }) => html`
            <rect key=${position} class=${stateOf(position, first, count)} data-position=${position} rx="1"
              x=${x} y=${y} width=${across} height=${down} onclick=${() => choose(position)} />`,
        )}
      </svg>
    </div>`
}
