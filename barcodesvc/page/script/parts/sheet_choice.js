/** The choice of a sheet by its name, or of a roll by the size of its labels. */

import { element } from '../dom.js'
import { text } from '../language.js'
import { roll, sheetNamed } from '../sheets.js'
import { choice } from './choice.js'

/** The value of the choice for a roll, and the size that is offered for one. */
const ROLL = 'roll'
const USUAL_ROLL = '50x30mm'

/** @typedef {import('../sheets.js').Sheet} Sheet */

/**
 * @param {string} label
 * @param {Sheet[]} sheets that the service knows by name
 * @param {string} chosen name of a sheet or a roll
 * @param {(sheet: Sheet | null) => void} changed called with null if the size of a roll is invalid
 */
export function sheetChoice(label, sheets, chosen, changed) {
  const known = sheetNamed(sheets, chosen) ?? sheets[0]
  const isNamed = sheets.some((each) => each === known)
  const options = [
    ...sheets.map((each) => /** @type {[string, string]} */ ([each.sheet, each.sheet])),
    /** @type {[string, string]} */ ([ROLL, text('labels.roll')]),
  ]
  const names = choice(label, options, isNamed && known ? known.sheet : ROLL, () => tell())
  const problem = element('p', { class: 'problem', role: 'alert' })
  const size = element('input', {
    type: 'text',
    value: isNamed || !known ? USUAL_ROLL : known.sheet,
    maxlength: 20,
    autocomplete: 'off',
    oninput: () => tell(),
  })
  const sizeLabel = element('label', null, text('labels.roll.size'), size)

  function sheet() {
    return names.field.value === ROLL ? roll(size.value) : sheetNamed(sheets, names.field.value)
  }

  function show() {
    const current = sheet()
    sizeLabel.hidden = names.field.value !== ROLL
    size.setAttribute('aria-invalid', String(!current))
    problem.textContent = current ? '' : text('labels.roll.wrong')
  }

  function tell() {
    show()
    changed(sheet())
  }

  show()
  return { nodes: [names.label, sizeLabel, problem], sheet }
}
