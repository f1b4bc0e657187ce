/** Asks for the service's API key once, where it wants one, and opens a session with it; the key is kept nowhere. */

import { ask, Refusal, SESSION } from './api.js'
import { element } from './dom.js'
import { text } from './language.js'
import { reasonOf as reasonOfRefusal } from './parts/failure.js'

/** @type {Promise<void> | null} */
let asking = null

/** Return when somebody has given the key; whoever calls meanwhile waits for the same. */
export function keyGiven() {
  asking ??= asked().finally(() => (asking = null))
  return asking
}

/** @returns {Promise<void>} */
function asked() {
  return new Promise((resolve) => {
    const problem = element('p', { class: 'problem', role: 'alert' })
    const field = element('input', {
      type: 'password',
      autocomplete: 'current-password',
      required: true,
      maxlength: 200,
      'data-takes-scans': true,
      onscan: () => form.requestSubmit(),
    })
    const form = element(
      'form',
      { method: 'dialog', onsubmit: (/** @type {Event} */ event) => void submit(event) },
      element('h2', { id: 'key-title' }, text('key.title')),
      element('p', null, text('key.why')),
      element('label', null, text('key.field'), field),
      problem,
      element('button', { class: 'main' }, text('key.open')),
    )
    const dialog = element('dialog', { 'aria-labelledby': 'key-title', onclose: () => reopen() }, form)
    dialog.addEventListener('cancel', (event) => event.preventDefault())
    document.body.append(dialog)
    dialog.showModal()

    /** A browser may close it at the second Escape all the same; without the key nothing goes on. */
    function reopen() {
      if (dialog.isConnected) dialog.showModal()
    }

    /** @param {Event} event */
    async function submit(event) {
      event.preventDefault()
      problem.textContent = ''
      try {
        await ask('POST', SESSION, { body: { api_key: field.value } })
      } catch (error) {
        problem.textContent = reasonOf(error)
        field.select()
        return
      }
      dialog.remove()
      resolve()
    }
  })
}

/** @param {unknown} error */
function reasonOf(error) {
  if (!(error instanceof Refusal)) return text('unreachable')
  return error.status === 401 ? text('key.wrong') : reasonOfRefusal(error)
}
