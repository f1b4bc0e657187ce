/** The choices for a file that is imported. */

import { element, fill } from '../dom.js'
import { text } from '../language.js'
import { columnChoice } from './import_columns.js'

/**
 * The choices for a file, which stay for its next preview: what happens to existing products, columns, sheet.
 *
 * @param {(changed: Partial<import('../importing.js').Wanted>) => void} changed
 */
export function choicesOf(changed) {
  const modes = /** @type {const} */ (['skip', 'update'])
  const existing = modes.map((mode) =>
    element('input', { type: 'radio', name: 'existing', value: mode, onchange: () => changed({ mode }) }),
  )
  const sheet = element('input', {
    type: 'text',
    maxlength: 255,
    onchange: () => {
      fill(columns)
      changed({ sheet: sheet.value.trim(), map: null })
    },
  })
  const columns = element('div')
  const summary = element('summary')
  const details = element(
    'details',
    null,
    summary,
    element(
      'div',
      { class: 'stack' },
      element('p', { class: 'soft' }, text('import.columns.how')),
      columns,
      element('label', { class: 'sheet-title' }, text('import.sheet'), sheet),
    ),
  )
  const labels = existing.map((box) => element('label', { class: 'check' }, box, text(`import.mode.${box.value}`)))
  const node = element(
    'div',
    { hidden: true },
    element('fieldset', null, element('legend', null, text('import.existing')), ...labels),
    details,
  )

  /** Whether the columns of the sheet are known. */
  const known = () => columns.hasChildNodes()

  /** @param {import('../importing.js').Preview} preview */
  function show(preview) {
    node.hidden = false
    summary.textContent = text('import.columns', { sheet: preview.sheet })
    sheet.value = preview.sheet
    if (known()) return
    const headers = [...Object.keys(preview.columns), ...preview.ignored]
    fill(
      columns,
      columnChoice(headers, preview.columns, (map) => changed({ map })),
    )
    if (preview.ignored.length) details.open = true
  }

  function forget() {
    node.hidden = true
    details.open = false
    fill(columns)
    for (const box of existing) box.checked = box.value === modes[0]
  }
  return { node, known, show, forget }
}
