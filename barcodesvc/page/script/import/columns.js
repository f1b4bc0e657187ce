/** Which column of a sheet is which field: a choice for each column, which can also be an attribute named after it. */

import { attributeName } from '../products/attributes.js'
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

/** How the field of an attribute begins; its name follows. */
const ATTRIBUTE = 'attributes.'

/** Return what a field is called, as the service names it. @param {string} field */
export function fieldName(field) {
  if (FIELDS.includes(field)) return text(`import.field.${field}`)
  return field.startsWith(ATTRIBUTE) ? text('import.field.attribute', { name: field.slice(ATTRIBUTE.length) }) : field
}

/**
 * Return the choice for each column; `choose` gets the whole map when one has changed.
 *
 * @param {string[]} headers
 * @param {Record<string, string>} map the field of each header that is read
 * @param {(map: Record<string, string>) => void} choose
 */
export function columnChoice(headers, map, choose) {
  const choices = headers.map((header, index) => {
    const field = fieldChoice(map[header] ?? '', attributeName(header) || `column_${index + 1}`, () => {
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
 * Ask which of the columns that were not recognised is which field.
 *
 * @param {string[]} headers
 * @param {(map: Record<string, string>) => void} choose
 */
export function columnQuestion(headers, choose) {
  /** @type {Record<string, string>} */
  let map = {}
  const button = element('button', { class: 'main', disabled: true }, text('import.look'))
  const choices = columnChoice(headers, map, (chosen) => {
    map = chosen
    button.disabled = !NEEDED.some((field) => Object.values(map).includes(field))
  })
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault()
    choose(map)
  }
  return element('form', { class: 'stack', onsubmit: submit }, choices, element('div', { class: 'row' }, button))
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
 * @param {string} attribute the name that the column would have as one
 * @param {() => void} onchange
 */
function fieldChoice(value, attribute, onchange) {
  const named = value.startsWith(ATTRIBUTE) ? value : ATTRIBUTE + attribute
  const options = [...FIELDS, named].map((name) => element('option', { value: name }, fieldName(name)))
  const field = element('select', { onchange }, element('option', { value: '' }, text('import.field.none')), ...options)
  field.value = value
  return field
}
