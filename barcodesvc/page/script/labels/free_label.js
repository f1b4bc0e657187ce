/** Where a print begins: the sheet, and its first free label, chosen by a tap, by the arrow keys, or as a number. */

import { element } from '../dom.js'
import { firstFree, keepFirstFree, within } from './free_labels.js'
import { text } from '../language.js'
import { capacity } from './sheets.js'
import { wholeNumber } from '../typed_values.js'
import { sheetDrawing } from './sheet_drawing.js'
import { usedSheet } from './used_sheet.js'

/**
 * @param {import('./sheets.js').Sheet[]} sheets that the service knows by name
 * @param {() => void} changed called when a person has chosen another sheet or label
 */
export function freeLabel(sheets, changed) {
  const used = usedSheet(sheets, changed)
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
    ...used.nodes,
    label,
    element('div', { class: 'paper-holder' }, drawing.node),
  )

  function first() {
    const sheet = used.sheet()
    return sheet ? firstFree(sheet) : 1
  }

  /** @param {number} position a label of the sheet; any other is moved to the nearest */
  function begin(position) {
    const sheet = used.sheet()
    if (sheet) keepFirstFree(sheet, within(sheet, position))
    changed()
  }

  return {
    node,
    sheet: used.sheet,
    follow: used.follow,
    hold: used.hold,
    first,
    /** @param {number} count number of labels to print */
    show(count) {
      const sheet = used.sheet()
      const isDrawn = sheet !== null && capacity(sheet) > 1
      label.hidden = !isDrawn
      drawing.node.toggleAttribute('hidden', !isDrawn)
      if (isDrawn) drawing.show(sheet, first(), count)
      if (document.activeElement !== field) field.value = String(first())
    },
  }
}
