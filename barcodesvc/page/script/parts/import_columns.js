/** Which column of a sheet is which field: a choice for each column. */

import { element } from '../dom.js'
import { text } from '../language.js'

/** The fields that a column can be, in the order of the choice; every product needs the first two. */
export const FIELDS = [
  'product_code',
  'description',
  'category',
  'unit_of_measure',
  'current_level',
  'minimum_level',
  'maximum_level',
]
const NEEDED = FIELDS.slice(0, 2)

/**
 * Return the choice for each column; `choose` gets the whole map when one has changed.
 *
 * @param {string[]} headers
 * @param {Record<string, string>} map the field of each header that is read
 * @param {(map: Record<string, string>) => void} choose
 */
export function columnChoice(headers, map, choose) {
  const choices = headers.map((header) => {
    const field = fieldChoice(map[header] ?? '', () => {
      if (field.value)
        for (const other of choices)
          if (other.field !== field && other.field.value === field.value) other.field.value = ''
      choose(
        Object.fromEntries(choices.filter((each) => each.field.value).map((each) => [each.header, each.field.value])),
      )
    })
    return { header, field }
  })
  return element(
    'div',
    { class: 'columns' },
    ...choices.map(({ header, field }) => element('label', null, element('bdi', null, header), field)),
  )
}

/**
 * Return the fields in which a person names the columns that were not recognised.
 *
 * @param {(map: Record<string, string>) => void} choose
 */
export function columnNames(choose) {
  const fields = NEEDED.map((name) => ({
    name,
    field: element('input', { type: 'text', required: true, maxlength: 100 }),
  }))
  return element(
    'form',
    {
      class: 'columns',
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault()
        choose(Object.fromEntries(fields.map(({ name, field }) => [field.value.trim(), name])))
      },
    },
    ...fields.map(({ name, field }) =>
      element('label', null, text('import.header.of', { field: text(`product.${name}`) }), field),
    ),
    element('button', { class: 'main' }, text('import.look')),
  )
}

/**
 * @param {string} value
 * @param {() => void} onchange
 */
function fieldChoice(value, onchange) {
  const options = FIELDS.map((name) => element('option', { value: name }, text(`import.field.${name}`)))
  const field = element('select', { onchange }, element('option', { value: '' }, text('import.field.none')), ...options)
  field.value = value
  return field
}
