/**
 * Asks who books, before the first booking of a device: the name is on every booking, and `system` is no person.
 *
 * Rule: scans that are made meanwhile are kept as bookings, which are sent with the name. Without a name, the name of the web
 * app is sent.
 */

import { openDialog } from '../dialogs.js'
import { element, fill } from '../dom.js'
import { text } from '../language.js'
import { change, changes, settings } from '../settings.js'
import { symbol } from '../symbols.js'
import { watchCodes } from '../scanner/typed_codes.js'

/** Milliseconds after which to look again whether another dialog is closed. */
const AGAIN = 300

/** Most characters of a name (the service's limit). */
const MOST = 100

/** @type {Promise<string> | null} */
let asking = null

/** Return the name of who books; if it is not known, ask for it. Calls made meanwhile wait for the same answer. */
export function authorGiven() {
  return settings().author ? Promise.resolve(settings().author) : changeAuthor()
}

/** Ask who books before a level can be typed: the question would take its digits. @param {import('./modes.js').Mode} direction */
export function askBefore(direction) {
  if (direction === 'set') void authorGiven()
}

/** Ask for a name, even if one is known. */
function changeAuthor() {
  asking ??= askForName().finally(() => (asking = null))
  return asking
}

/**
 * Return a button that shows who books and asks for another name; hidden while the name is not known.
 *
 * @param {AbortSignal} signal
 */
export function authorButton(signal) {
  const button = element('button', { type: 'button', class: 'author', onclick: () => void changeAuthor() })
  const show = () => {
    const { author } = settings()
    button.hidden = author === ''
    fill(
      button,
      symbol('person'),
      element('span', { class: 'unseen' }, text('settings.author')),
      element('bdi', null, author),
    )
  }
  changes.addEventListener('change', show, { signal })
  show()
  return button
}

/** @returns {Promise<string>} */
async function askForName() {
  while (openDialog()) await new Promise((resolve) => setTimeout(resolve, AGAIN))
  return new Promise((resolve) => {
    const before = settings().author
    const field = element('input', { type: 'text', autocomplete: 'name', maxlength: MOST, value: before })
    const kept = element('p', { role: 'status' })
    const problem = element('p', { class: 'problem', role: 'alert' })
    const codes = watchCodes(field)
    let count = 0
    const dialog = element(
      'dialog',
      {
        'aria-labelledby': 'author-title',
        'data-stays': true,
        onsubmit: (/** @type {SubmitEvent} */ event) => {
          const code = event.submitter?.matches('.main') && codes.ask()
          if (!code) return
          event.preventDefault()
          problem.textContent = text('product.scanned', { code, field: text('settings.author') })
          field.select()
        },
        onscan: (/** @type {CustomEvent<{keep: () => boolean}>} */ event) => {
          if (!event.detail.keep()) return
          event.preventDefault()
          kept.textContent = text('author.kept', { count: ++count })
        },
        onclose: () => {
          dialog.remove()
          const given = dialog.returnValue === 'given' ? field.value.trim() : before
          const author = given || text('author.device')
          change({ author })
          resolve(author)
        },
      },
      authorForm(field, problem, kept),
    )
    document.body.append(dialog)
    dialog.showModal()
    field.focus()
    field.select()
  })
}

/**
 * @param {HTMLInputElement} field
 * @param {HTMLElement} problem
 * @param {HTMLElement} kept
 */
function authorForm(field, problem, kept) {
  return element(
    'form',
    { method: 'dialog' },
    element('h2', { id: 'author-title' }, text('author.title')),
    element('p', null, text('author.why')),
    element('label', null, text('settings.author'), field),
    problem,
    kept,
    element(
      'div',
      { class: 'row' },
      element('button', { class: 'main', value: 'given' }, text('save')),
      element('button', { value: 'declined', formnovalidate: true }, text('author.decline')),
    ),
  )
}
