/** The text below a code: fields of its product, and lines that are the same on every label. */

import { element } from '../dom.js'
import { text } from '../language.js'

/** Fields of a product, as `layout` names them. */
const FIELDS = /** @type {const} */ (['include_description', 'include_category', 'include_unit'])

/** The longest text of five lines of 64 characters (the service's limit). */
const LONGEST = 5 * 64 + 4

export function labelLines() {
  const boxes = FIELDS.map((name) =>
    element('input', { type: 'checkbox', checked: name === 'include_description', name }),
  )
  const further = element('textarea', { rows: 2, maxlength: LONGEST })
  const node = element(
    'fieldset',
    { class: 'lines' },
    element('legend', null, text('labels.below')),
    element(
      'div',
      { class: 'row' },
      ...boxes.map((box) => element('label', { class: 'check' }, box, text(`labels.${box.name}`))),
    ),
    element('label', null, text('labels.lines'), further),
  )

  /** Return the fields of `layout` for the text below a code. */
  function wanted() {
    const lines = further.value.split('\n').map((line) => line.trim())
    const fields = Object.fromEntries(boxes.map((box) => [box.name, box.checked]))
    return { ...fields, lines: lines.filter(Boolean) }
  }

  return { node, wanted }
}
