/** A field whose value must match exactly, with the values seen so far to choose from. */

import { element, fill } from './dom.js'

/** Maximum number of offered values. */
const MOST = 200

/**
 * @param {object} wanted
 * @param {string} wanted.id of the list that is offered
 * @param {string} wanted.label
 * @param {string} wanted.value
 * @param {Set<string>} wanted.seen the values seen so far; it outlives the field
 * @param {(value: string) => void} wanted.choose called when the value is complete: chosen, left, or emptied
 */
export function seenValues({ id, label, value, seen, choose }) {
  let chosen = value
  const list = element('datalist', { id })
  const field = element('input', {
    type: 'text',
    list: id,
    autocomplete: 'off',
    maxlength: 100,
    value,
    onchange: () => settle(),
    oninput: () => (field.value === '' || seen.has(field.value)) && settle(),
  })

  function settle() {
    if (field.value.trim() === chosen) return
    chosen = field.value.trim()
    choose(chosen)
  }

  /** @param {string[]} values */
  function add(values) {
    for (const each of values) if (each && seen.size < MOST) seen.add(each)
    fill(list, ...[...seen].sort().map((each) => element('option', { value: each })))
  }

  /** @param {string} wanted */
  function set(wanted) {
    field.value = wanted
    settle()
  }

  /** Show a value that was chosen elsewhere. @param {string} value_ */
  function show(value_) {
    field.value = chosen = value_
  }

  /** Whether a value is typed that is not chosen yet. */
  const isTyped = () => field.value.trim() !== chosen

  add([])
  return { node: element('label', { class: 'grow' }, label, field, list), add, set, show, isTyped }
}
