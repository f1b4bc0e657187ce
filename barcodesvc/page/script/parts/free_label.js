/** Where a print begins: the sheet, and its first free label, chosen by a tap, by the arrow keys, or as a number. */

import { element } from '../dom.js'
import { firstFree, keepFirstFree, within } from '../free_labels.js'
import { text } from '../language.js'
import { change, settings } from '../settings.js'
import { capacity, usualSheets } from '../sheets.js'
import { wholeNumber } from '../typed_values.js'
import { sheetChoice } from './sheet_choice.js'
import { sheetDrawing } from './sheet_drawing.js'

/**
 * @param {import('../sheets.js').Sheet[]} sheets that the service knows by name
 * @param {() => void} changed called when a person has chosen another sheet or label
 */
export function freeLabel(sheets, changed) {
  /** Whether the sheet is that of a saved layout, and not this device's. */
  let isOfLayout = false
  const choice = sheetChoice(text('labels.sheet'), sheets, settings().sheet, choose)
  const drawing = sheetDrawing(begin)
  const field = element('input', {
    type: 'text',
    inputmode: 'numeric',
    autocomplete: 'off',
    oninput: () => begin(wholeNumber(field.value) ?? first()),
    onchange: () => void (field.value = String(first())),
  })
  const label = element('label', { class: 'first' }, text('labels.first'), field)
  const node = element(
    'section',
    { class: 'card place' },
    ...choice.nodes,
    label,
    element('div', { class: 'paper-holder' }, drawing.node),
  )

  function first() {
    const sheet = choice.sheet()
    return sheet ? firstFree(sheet) : 1
  }

  /** @param {import('../sheets.js').Sheet | null} sheet */
  function choose(sheet) {
    if (sheet && !isOfLayout) change({ sheet: sheet.sheet })
    changed()
  }

  /** @param {number} position a label of the sheet; any other is moved to the nearest */
  function begin(position) {
    const sheet = choice.sheet()
    if (sheet) keepFirstFree(sheet, within(sheet, position))
    changed()
  }

  return {
    node,
    sheet: choice.sheet,
    first,
    /**
     * Show the sheet of a saved layout, empty for its arrangement, or null for the sheet of this device.
     *
     * @param {string | null} name
     */
    follow(name) {
      isOfLayout = name !== null
      choice.show(name ?? (settings().sheet || usualSheets()[0]))
    },
    /** @param {number} count number of labels to print */
    show(count) {
      const sheet = choice.sheet()
      label.hidden = !sheet || capacity(sheet) === 1
      const isDrawn = sheet !== null && capacity(sheet) > 1
      drawing.node.toggleAttribute('hidden', !isDrawn)
      if (isDrawn) drawing.show(sheet, first(), count)
      if (document.activeElement !== field) field.value = String(first())
    },
  }
}
