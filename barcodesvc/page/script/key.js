/** Asks for the service's API key once, where it wants one, and opens a session with it; the key is kept nowhere. */

import { access, ask, Refusal } from './api.js'
import { bookings } from './bookings/sending.js'
import { element } from './dom.js'
import { text } from './language.js'

let asking = false

access.addEventListener('key-needed', () => {
  if (!asking) askForKey()
})

function askForKey() {
  asking = true
  const problem = element('p', { class: 'problem', role: 'alert' })
  const field = element('input', { type: 'password', autocomplete: 'current-password', required: true, maxlength: 200 })
  const form = element(
    'form',
    { method: 'dialog', onsubmit: (/** @type {Event} */ event) => void open(event) },
    element('h2', null, text('key.title')),
    element('p', null, text('key.why')),
    element('label', null, text('key.field'), field),
    problem,
    element('button', { class: 'main' }, text('key.open')),
  )
  const dialog = element('dialog', { oncancel: (/** @type {Event} */ event) => event.preventDefault() }, form)
  document.body.append(dialog)
  dialog.showModal()

  /** @param {Event} event */
  async function open(event) {
    event.preventDefault()
    try {
      await ask('POST', '/api/page/session', { body: { api_key: field.value } })
    } catch (error) {
      problem.textContent = text(error instanceof Refusal && error.status === 401 ? 'key.wrong' : 'unreachable')
      field.select()
      return
    }
    dialog.close()
    dialog.remove()
    asking = false
    void bookings().then(({ queue }) => queue.send())
    window.dispatchEvent(new Event('hashchange'))
  }
}
