/** The field for a code that a person types, with the button that says what the mode does with it. */

import { element, fill } from '../dom.js'
import { text } from '../language.js'
import { SIGNS } from './modes.js'
import { symbol } from '../symbols.js'

/** @typedef {import('./modes.js').Mode} Mode */

/**
 * Return the field. An ellipsis on its button means that the product is shown first.
 *
 * @param {(code: string, typed: string) => boolean} scan called with a scanned code, and the former text of the field
 * @param {(code: string) => void} enter called with a code that a person typed
 */
export function codeField(scan, enter) {
  let paused = false
  const button = element('button', { type: 'submit' })
  const field = element('input', {
    type: 'text',
    id: 'code',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    enterkeyhint: 'go',
    maxlength: 4096,
    placeholder: text('scan.type'),
    'aria-label': text('scan.type'),
    'data-takes-scans': true,
    onscan: (/** @type {Event & {typed: string}} */ { typed }) => {
      const code = taken()
      if (code && !scan(code, typed.trim())) field.value = typed
    },
  })

  function taken() {
    const code = field.value.trim()
    field.value = ''
    return code
  }

  const node = element(
    'form',
    {
      class: 'row',
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault()
        const code = taken()
        if (code) enter(code)
      },
    },
    element('div', { class: 'grow' }, field),
    button,
  )
  return {
    node,
    /** @param {Mode} mode */
    name: (mode) => fill(button, symbol(SIGNS[mode]), text(`mode.${mode}`) + (mode === 'look-up' ? '' : ' …')),
    /** Remember whether the focus is here, before it goes to the amount. */
    pause: () => void (paused ||= node.contains(document.activeElement)),
    /** Take the focus back. */
    resume() {
      if (paused) field.focus()
      paused = false
    },
  }
}
