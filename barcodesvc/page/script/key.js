/**
 * Asks for the service's API key once, if it needs one, and opens a session with it; the key is never stored. Meanwhile
 * this device forgets the catalogue.
 */

import { ask, Refusal, SESSION } from './api.js'
import { forgetCatalogue } from './catalogue/copy.js'
import { element } from './dom.js'
import { text } from './language.js'
import { errorText } from './failure.js'
import { bad } from './sounds.js'

/** What can be a key of the service; other scans are the codes of products. */
const KEY = /^[!-~]{24,256}$/

/** How codes begin that are as long as a key: element strings, numbers, links, JSON. */
const CODE = /^([\]([{]|https?:|01\d{14}|\d+$)/i

/** A request that is refused without a session. */
const NEEDS_SESSION = '/api/products?limit=1'

/** @type {Promise<void> | null} */
let asking = null

/** Ask for the key, and return when a person has entered it. Calls made meanwhile wait for the same dialog. */
export function enterKey() {
  void forgetCatalogue()
  asking ??= new KeyDialog().opened.finally(() => (asking = null))
  return asking
}

class KeyDialog {
  constructor() {
    this.ended = new AbortController()
    this.tabs = new BroadcastChannel('session')
    this.kept = 0
    this.problem = element('p', { class: 'problem', role: 'alert' })
    this.status = element('p', { role: 'status' })
    this.field = element('input', {
      type: 'password',
      autocomplete: 'current-password',
      required: true,
      maxlength: 256,
    })
    this.dialog = this.open()
    /** Resolved when a session is open. @type {Promise<void>} */
    this.opened = new Promise((resolve) => this.ended.signal.addEventListener('abort', () => resolve()))
    this.tabs.addEventListener('message', () => void this.look())
    document.addEventListener('visibilitychange', () => void this.look(), { signal: this.ended.signal })
  }

  open() {
    const form = element(
      'form',
      { method: 'dialog', onsubmit: (/** @type {Event} */ event) => void this.submit(event) },
      element('h2', { id: 'key-title' }, text('key.title')),
      element('p', null, text('key.why')),
      element('label', null, text('key.field'), this.field),
      this.problem,
      this.status,
      element('button', { class: 'main' }, text('key.open')),
    )
    const dialog = element(
      'dialog',
      {
        'aria-labelledby': 'key-title',
        'data-stays': true,
        oncancel: (/** @type {Event} */ event) => event.preventDefault(),
        onclose: () => this.reopen(),
        onscan: (/** @type {CustomEvent} */ event) => this.scanned(event),
      },
      form,
    )
    document.body.append(dialog)
    dialog.showModal()
    return dialog
  }

  /** A browser may close it at the second Escape anyway; nothing works without the key. */
  reopen() {
    if (this.dialog.isConnected) this.dialog.showModal()
  }

  /**
   * Process a scan: a key may be scanned, and leaves a half-typed one alone. The code of a product is kept as a booking if
   * it is one.
   *
   * @param {CustomEvent<{code: string, keep: () => boolean}>} event
   */
  scanned(event) {
    event.preventDefault()
    const { code, keep } = event.detail
    this.problem.textContent = ''
    if (KEY.test(code) && !CODE.test(code)) return void this.give(code, text('key.wrong.scan'))
    if (keep()) {
      this.status.textContent = text('key.kept', { count: ++this.kept })
      return
    }
    bad()
    this.problem.textContent = text('key.not-booked', { code })
  }

  /** @param {Event} event */
  async submit(event) {
    event.preventDefault()
    await this.give(this.field.value, text('refused.api_key_wrong'))
    if (this.dialog.isConnected) this.field.select()
  }

  /**
   * @param {string} key
   * @param {string} wrong what to say if it is not the key
   */
  async give(key, wrong) {
    this.problem.textContent = ''
    try {
      await ask('POST', SESSION, { body: { api_key: key } })
    } catch (error) {
      bad()
      this.problem.textContent = keyErrorText(error, wrong)
      return
    }
    // without the session's cookie the key has no effect
    if ((await statusOfSession()) === 401) {
      this.problem.textContent = text('key.cookies')
      return
    }
    this.tabs.postMessage('open')
    this.end()
  }

  /** Close if another tab of this browser has opened a session. */
  async look() {
    if ((await statusOfSession()) === 200) this.end()
  }

  end() {
    this.tabs.close()
    this.dialog.remove()
    this.ended.abort()
  }
}

/** Return the status of a request that needs a session, or 0 without a response. */
async function statusOfSession() {
  const { status } = await fetch(NEEDS_SESSION).catch(() => ({ status: 0 }))
  return status
}

/**
 * @param {unknown} error
 * @param {string} wrong what to say if the key is wrong
 */
function keyErrorText(error, wrong) {
  if (!(error instanceof Refusal)) return text('unreachable')
  return error.status === 401 ? wrong : errorText(error)
}
