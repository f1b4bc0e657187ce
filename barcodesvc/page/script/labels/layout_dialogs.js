/** Two questions about saved layouts: the name of a new one, and whether one is deleted. */

import { element } from '../dom.js'
import { layoutName } from './layout.js'
import { text } from '../language.js'

/** Characters that can be typed; a name may have fewer. */
const LONGEST_TYPED = 64

/**
 * Ask for the name of a layout. `save` is called with it, and the dialog stays while that fails.
 *
 * @param {(name: string) => string} problemOf returns why a name cannot be taken, or an empty text
 * @param {(name: string) => Promise<string>} save returns why the layout is not saved, or an empty text
 */
export function askLayoutName(problemOf, save) {
  const field = element('input', { type: 'text', autocomplete: 'off', maxlength: LONGEST_TYPED })
  const problem = element('p', { class: 'problem', role: 'alert' })
  const button = element('button', { class: 'main' }, text('save'))
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault()
    const name = layoutName(field.value)
    problem.textContent = name ? problemOf(name) : text('layout.name.wrong')
    field.setAttribute('aria-invalid', String(problem.textContent !== ''))
    if (problem.textContent) return field.focus()
    button.disabled = true
    problem.textContent = await save(name)
    button.disabled = false
    if (!problem.textContent) dialog.close()
  }
  const dialog = shown(
    text('layout.name.title'),
    submit,
    element('label', null, text('layout.name'), field),
    element('p', { class: 'soft' }, text('layout.name.rule')),
    problem,
    button,
  )
  field.focus()
}

/**
 * Ask whether a layout is deleted.
 *
 * @param {string} name
 * @param {() => Promise<string>} remove returns why it is not deleted, or an empty text
 */
export function confirmDelete(name, remove) {
  const problem = element('p', { class: 'problem', role: 'alert' })
  const button = element('button', { class: 'danger' }, text('product.delete'))
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault()
    button.disabled = true
    problem.textContent = await remove()
    button.disabled = false
    if (!problem.textContent) dialog.close()
  }
  const why = element('p', null, text('layout.delete.why'))
  const dialog = shown(text('layout.delete.title', { name }), submit, why, problem, button)
}

/**
 * @param {string} title
 * @param {(event: Event) => void} submit
 * @param {...HTMLElement} parts the last one is the button that submits
 */
function shown(title, submit, ...parts) {
  const button = /** @type {HTMLElement} */ (parts.pop())
  const cancel = element('button', { type: 'button', onclick: () => dialog.close() }, text('cancel'))
  const dialog = element(
    'dialog',
    { 'aria-label': title, onclose: () => dialog.remove() },
    element(
      'form',
      { onsubmit: submit, novalidate: true },
      element('h2', null, title),
      ...parts,
      element('div', { class: 'row' }, button, cancel),
    ),
  )
  document.body.append(dialog)
  dialog.showModal()
  return dialog
}
