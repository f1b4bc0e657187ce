/** The text below a code: fields of its product, and further lines, which may hold placeholders, each in its own size. */

import { element } from '../dom.js'
import { lineOf, linesOf } from './layout.js'
import { text } from '../language.js'

/** Fields of a product, as `layout` names them. */
const FIELDS = /** @type {const} */ (['include_description', 'include_category', 'include_unit'])

/** Placeholders that the hint explains. */
const PLACEHOLDERS = { description: '{description}', detail: '{attributes.price}', number: '{n}', date: '{date+7}' }

/** Lines of a label, and characters of a line (the service's limits). */
const MOST = 5
const LONGEST = 64

/** Sizes to choose from, in points; 0 is that of the layout. */
const SIZES = [0, 6, 8, 10, 12, 16, 20, 24, 30, 36, 48, 60, 72]

/** @typedef {import('./layout.js').Line} Line */

/** @param {() => void} changed */
export function labelLines(changed) {
  const boxes = FIELDS.map((name) => element('input', { type: 'checkbox', name, onchange: changed }))
  /** @type {ReturnType<typeof lineRow>[]} */
  let rows = []
  const list = element('ol', { class: 'further' })
  const node = element(
    'fieldset',
    { class: 'lines' },
    element('legend', null, text('labels.below')),
    element(
      'div',
      { class: 'row' },
      ...boxes.map((box) => element('label', { class: 'check' }, box, text(`labels.${box.name}`))),
    ),
    element('p', null, text('labels.lines')),
    list,
    element('p', { class: 'soft hint', id: 'placeholders' }, text('labels.placeholders', PLACEHOLDERS)),
  )

  /** @param {Line} line */
  function add(line) {
    const row = lineRow(rows.length + 1, line, edited, () => rows[rows.indexOf(row) + 1]?.focus())
    rows.push(row)
    list.append(row.node)
  }

  function edited() {
    addEmpty()
    changed()
  }

  /** Have an empty line at the end, if there may be another one. */
  function addEmpty() {
    if (rows.length < MOST && rows.at(-1)?.isEmpty() !== true) add('')
  }

  return {
    node,
    /**
     * Show the text of a layout.
     *
     * @param {import('./layout.js').Layout} layout
     */
    show(layout) {
      for (const box of boxes) box.checked = layout[box.name] === true
      list.replaceChildren()
      rows = []
      linesOf(layout).forEach(add)
      addEmpty()
    },
    /** Return the fields of `layout` for the text below a code. */
    wanted() {
      const fields = Object.fromEntries(boxes.map((box) => [box.name, box.checked]))
      return { ...fields, lines: rows.filter((row) => !row.isEmpty()).map((row) => row.line()) }
    },
  }
}

/**
 * @param {number} number of the line, from 1
 * @param {Line} line
 * @param {() => void} changed
 * @param {() => void} entered called when Enter ends the line
 */
function lineRow(number, line, changed, entered) {
  const { text: shown, size = 0, bold = false } = typeof line === 'string' ? { text: line } : line
  const named = (/** @type {string} */ what) => text('labels.line.of', { what, number })
  const field = element('input', {
    type: 'text',
    autocomplete: 'off',
    maxlength: LONGEST,
    value: shown,
    'aria-label': text('labels.line', { number }),
    'aria-describedby': 'placeholders',
    oninput: changed,
    onkeydown: ({ key }) => void (key === 'Enter' && entered()),
  })
  const sizes = [...new Set([...SIZES, size])].sort((one, other) => one - other)
  const choice = element(
    'select',
    { 'aria-label': named(text('labels.line.size')), onchange: changed },
    ...sizes.map((value) =>
      element('option', { value }, value ? text('labels.line.points', { size: value }) : text('labels.line.usual')),
    ),
  )
  choice.value = String(size)
  const box = element('input', {
    type: 'checkbox',
    checked: bold,
    'aria-label': named(text('labels.line.bold')),
    onchange: changed,
  })
  return {
    node: element(
      'li',
      null,
      field,
      element(
        'div',
        { class: 'look' },
        choice,
        element('label', { class: 'check' }, box, element('b', null, text('labels.line.bold'))),
      ),
    ),
    focus: () => field.focus(),
    isEmpty: () => field.value.trim() === '',
    line: () => lineOf({ text: field.value.trim(), size: Number(choice.value), bold: box.checked }),
  }
}
