/**
 * The choice of a sheet by its picture, its name and the size of its labels, or of a roll by the size of its labels.
 *
 * Rule: the usual sheets of the region and the roll come first. The others follow behind a button, except for the one that is
 * chosen.
 */

import { svg, element } from '../dom.js'
import { text } from '../language.js'
import { labelsOf, pageOf, roll, sheetNamed, UNNAMED, usualSheets } from './sheets.js'
import { labelSize } from './sheet_name.js'

/** The value of the choice for a roll, and for the arrangement of a saved layout that names no sheet. */
const ROLL = 'roll'
const OF_LAYOUT = 'layout'

/** The size that is offered for a roll. */
const USUAL_ROLL = '50x30mm'

/** @typedef {import('./sheets.js').Sheet} Sheet */

/**
 * @param {string} label
 * @param {Sheet[]} sheets that the service knows by name
 * @param {string} chosen name of a sheet or a roll; empty for the most usual one
 * @param {(sheet: Sheet | null) => void} changed called with null if the size of a roll is invalid
 */
export function sheetChoice(label, sheets, chosen, changed) {
  const known = sheetNamed(sheets, chosen || usualSheets()[0]) ?? sheets[0]
  const isNamed = sheets.some((each) => each === known)
  let value = isNamed && known ? known.sheet : ROLL
  const size = rollSize(isNamed || !known ? USUAL_ROLL : known.sheet, tell)
  const usual = usualSheets().flatMap((name) => sheets.filter((each) => each.sheet === name))
  const further = sheets.filter((each) => !usual.includes(each)).map((each) => option(each, each.sheet, value, choose))
  const more = element('button', { type: 'button', class: 'more', onclick: expand }, text('labels.sheets.more'))
  const ofLayout = option(null, OF_LAYOUT, value, choose)
  const names = element(
    'fieldset',
    { class: 'sheets' },
    element('legend', null, label),
    ...usual.map((each) => option(each, each.sheet, value, choose)),
    option(size.sheet() ?? /** @type {Sheet} */ (roll(USUAL_ROLL)), ROLL, value, choose),
    ...further.filter(isChosen),
    more,
  )

  /** @param {string} name */
  function choose(name) {
    value = name
    tell()
  }

  function expand() {
    more.replaceWith(...further)
    further
      .find((each) => !isChosen(each))
      ?.querySelector('input')
      ?.focus()
  }

  function sheet() {
    if (value === OF_LAYOUT) return UNNAMED
    return value === ROLL ? size.sheet() : sheetNamed(sheets, value)
  }

  /**
   * Show the sheet of a saved layout; an empty name is its arrangement.
   *
   * @param {string} name
   */
  function show(name) {
    const wanted = name ? sheetNamed(sheets, name) : UNNAMED
    value = wanted === UNNAMED ? OF_LAYOUT : wanted && sheets.includes(wanted) ? wanted.sheet : ROLL
    if (value === ROLL) size.fill(wanted?.sheet ?? name)
    ofLayout.remove()
    const wantedOption = [...names.querySelectorAll('label'), ...further, ofLayout].find(
      (each) => valueOf(each) === value,
    )
    if (wantedOption && !names.contains(wantedOption)) names.append(wantedOption)
    const field = wantedOption?.querySelector('input')
    if (field) field.checked = true
    size.show(value === ROLL)
  }

  function tell() {
    size.show(value === ROLL)
    changed(sheet())
  }

  size.show(value === ROLL)
  return { nodes: [names, ...size.nodes], sheet, show }
}

/**
 * The field for the size of the labels on a roll.
 *
 * @param {string} value
 * @param {() => void} changed
 */
function rollSize(value, changed) {
  const problem = element('p', { class: 'problem', role: 'alert' })
  const field = element('input', { type: 'text', value, maxlength: 20, autocomplete: 'off', oninput: changed })
  const label = element('label', null, text('labels.roll.size'), field)
  return {
    nodes: [label, problem],
    /** Return the roll, or null if the size is invalid. */
    sheet: () => roll(field.value),
    /** @param {string} size */
    fill: (size) => void (field.value = size),
    /** @param {boolean} isRoll whether a roll is chosen */
    show(isRoll) {
      const isValid = roll(field.value) !== null
      label.hidden = !isRoll
      field.setAttribute('aria-invalid', String(!isValid))
      problem.textContent = isValid || !isRoll ? '' : text('labels.roll.wrong')
    },
  }
}

/**
 * Return a choice with a picture; without one for the arrangement of a saved layout.
 *
 * @param {Sheet | null} sheet
 * @param {string} name value of the choice
 * @param {string} chosen
 * @param {(name: string) => void} choose
 */
function option(sheet, name, chosen, choose) {
  const isRoll = name === ROLL
  const title = element('b', null, isRoll ? text('labels.roll') : sheet ? name : text('labels.sheet.of-layout'))
  return element(
    'label',
    { class: 'option' },
    element('input', {
      type: 'radio',
      name: 'sheet',
      value: name,
      checked: name === chosen,
      onchange: () => choose(name),
    }),
    element(
      'span',
      null,
      sheet && sheetPicture(sheet, isRoll),
      element('span', null, title, ' ', sheet && !isRoll && labelSize(sheet)),
    ),
  )
}

/** @param {Element} choice */
function isChosen(choice) {
  return choice.querySelector('input')?.checked ?? false
}

/** @param {Element} choice */
function valueOf(choice) {
  return choice.querySelector('input')?.value
}

/**
 * Return a small picture of a sheet with its labels, or of a label with the next one of its roll.
 *
 * @param {Sheet} sheet
 * @param {boolean} isRoll
 */
function sheetPicture(sheet, isRoll) {
  const [width, height] = pageOf(sheet)
  const labels = isRoll
    ? [box(0, 0, width, height), box(0, height * 1.15, width, height)]
    : labelsOf(sheet).map(({ x, y, width: across, height: down }) => box(x, y, across, down))
  const high = isRoll ? height * 2.15 : height
  const line = Math.max(width, high) / 40
  return svg(
    'svg',
    {
      class: 'sheet-picture',
      viewBox: `${-line} ${-line} ${width + 2 * line} ${high + 2 * line}`,
      'aria-hidden': 'true',
    },
    isRoll ? null : svg('rect', { width, height, 'stroke-width': line / 2 }),
    svg('path', { d: labels.join(''), 'stroke-width': isRoll ? line : line / 3 }),
  )
}

/**
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 */
function box(x, y, width, height) {
  return `M${x} ${y}h${width}v${height}h${-width}z`
}
