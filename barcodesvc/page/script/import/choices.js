/** The choices for a file that is imported. */

import { element, fill } from '../dom.js'
import { text } from '../language.js'
import { columnChoice } from './columns.js'
import { encodingChoice } from './encoding.js'

/**
 * The choices for a file, which stay for its next preview: what happens to existing products, columns, sheet.
 *
 * @param {(changed: Partial<import('./importing.js').Wanted>) => void} changed
 */
export function choicesOf(changed) {
  const existing = modeChoice((mode) => changed({ mode }))
  const columns = element('div')
  /** Begin with other columns. @param {Partial<import('./importing.js').Wanted>} other */
  const anew = (other) => {
    fill(columns)
    changed({ ...other, map: null })
  }
  const other = () => anew({ sheet: sheet.value.trim() })
  const sheet = element('input', { type: 'text', maxlength: 255, onchange: other })
  const encoding = encodingChoice((chosen) => anew({ encoding: chosen }))
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
  const node = element('div', { class: 'stack', hidden: true }, encoding.node, existing.node, details)

  /** Whether the columns of the sheet are known. */
  const known = () => columns.hasChildNodes()

  /**
   * @param {import('./importing.js').Preview} preview
   * @param {boolean} isGuess whether the encoding is one
   */
  function show(preview, isGuess) {
    node.hidden = false
    encoding.show(preview.encoding ?? '', isGuess)
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
    existing.reset()
  }

  /** Ask for the encoding of a text file that cannot be read. */
  function askEncoding() {
    node.hidden = false
    encoding.ask()
  }
  return { node, known, show, askEncoding, forget }
}

/**
 * The choice of what happens to products that exist already; it begins with leaving them alone.
 *
 * @param {(mode: import('./importing.js').Mode) => void} choose
 */
function modeChoice(choose) {
  const modes = /** @type {const} */ (['skip', 'update', 'count', 'receive'])
  const boxes = modes.map((mode) =>
    element('input', { type: 'radio', name: 'existing', value: mode, onchange: () => choose(mode) }),
  )
  const labels = boxes.map((box) => element('label', { class: 'check' }, box, text(`import.mode.${box.value}`)))
  const node = element('fieldset', null, element('legend', null, text('import.existing')), ...labels)
  const reset = () => boxes.forEach((box) => (box.checked = box.value === modes[0]))
  return { node, reset }
}
