/** The text below a code: fields of its product, and further lines, which may hold placeholders. */

import { element } from '../dom.js'
import { linesOf, styledLines, textOf } from '../label_layout.js'
import { text } from '../language.js'

/** Fields of a product, as `layout` names them. */
const FIELDS = /** @type {const} */ (['include_description', 'include_category', 'include_unit'])

/** Placeholders that the hint explains. */
const PLACEHOLDERS = { description: '{description}', detail: '{attributes.price}', number: '{n}', date: '{date+7}' }

/** The longest text of five lines of 64 characters (the service's limit). */
const LONGEST = 5 * 64 + 4

/** @param {() => void} changed */
export function labelLines(changed) {
  /** @type {import('../label_layout.js').Line[]} */
  let saved = []
  const boxes = FIELDS.map((name) => element('input', { type: 'checkbox', name, onchange: changed }))
  const further = element('textarea', {
    rows: 2,
    maxlength: LONGEST,
    'aria-describedby': 'placeholders',
    oninput: changed,
  })
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
    element('p', { class: 'soft hint', id: 'placeholders' }, text('labels.placeholders', PLACEHOLDERS)),
  )

  return {
    node,
    /**
     * Show the text of a layout.
     *
     * @param {import('../label_layout.js').Layout} layout
     */
    show(layout) {
      saved = linesOf(layout)
      for (const box of boxes) box.checked = layout[box.name] === true
      further.value = saved.map(textOf).join('\n')
    },
    /** Return the fields of `layout` for the text below a code. */
    wanted() {
      const typed = further.value.split('\n').map((line) => line.trim())
      const fields = Object.fromEntries(boxes.map((box) => [box.name, box.checked]))
      return { ...fields, lines: styledLines(typed.filter(Boolean), saved) }
    },
  }
}
