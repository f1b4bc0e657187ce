/** Asks for the service's API key once, if it needs one, and opens a session with it; the key is never stored. */

import { ask, Refusal, SESSION } from './api.js'
import { element } from './dom.js'
import { text } from './language.js'
import { reasonOf as reasonOfRefusal } from './parts/failure.js'
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
  asking ??= asked().finally(() => (asking = null))
  return asking
}

/** @returns {Promise<void>} */
function asked() {
  return new Promise((resolve) => {
    const ended = new AbortController()
    const tabs = new BroadcastChannel('session')
    let kept = 0
    const problem = element('p', { class: 'problem', role: 'alert' })
    const status = element('p', { role: 'status' })
    const field = element('input', {
      type: 'password',
      autocomplete: 'current-password',
      required: true,
      maxlength: 256,
    })
    const form = element(
      'form',
      { method: 'dialog', onsubmit: (/** @type {Event} */ event) => void submit(event) },
      element('h2', { id: 'key-title' }, text('key.title')),
      element('p', null, text('key.why')),
      element('label', null, text('key.field'), field),
      problem,
      status,
      element('button', { class: 'main' }, text('key.open')),
    )
    const dialog = element('dialog', { 'aria-labelledby': 'key-title', onclose: () => reopen(), onscan: scanned }, form)
    dialog.addEventListener('cancel', (event) => event.preventDefault())
    document.body.append(dialog)
    dialog.showModal()
    tabs.addEventListener('message', () => void look())
    document.addEventListener('visibilitychange', () => void look(), { signal: ended.signal })

    /** A browser may close it at the second Escape anyway; nothing works without the key. */
    function reopen() {
      if (dialog.isConnected) dialog.showModal()
    }

    /**
     * Process a scan: a key may be scanned, and leaves a half-typed one alone. The code of a product is kept as a booking if
     * it is one.
     *
     * @param {CustomEvent<{code: string, keep: () => boolean}>} event
     */
    function scanned(event) {
      event.preventDefault()
      const { code, keep } = event.detail
      problem.textContent = ''
      if (KEY.test(code) && !CODE.test(code)) return void give(code, text('key.wrong.scan'))
      if (keep()) {
        status.textContent = text('key.kept', { count: ++kept })
        return
      }
      bad()
      problem.textContent = text('key.not-booked', { code })
    }

    /** @param {Event} event */
    async function submit(event) {
      event.preventDefault()
      await give(field.value, text('refused.api_key_wrong'))
      if (dialog.isConnected) field.select()
    }

    /**
     * @param {string} key
     * @param {string} wrong what to say if it is not the key
     */
    async function give(key, wrong) {
      problem.textContent = ''
      try {
        await ask('POST', SESSION, { body: { api_key: key } })
      } catch (error) {
        bad()
        problem.textContent = reasonOf(error, wrong)
        return
      }
      // without the session's cookie the key has no effect
      if ((await statusOfSession()) === 401) {
        problem.textContent = text('key.cookies')
        return
      }
      tabs.postMessage('open')
      end()
    }

    /** Close if another tab of this browser has opened a session. */
    async function look() {
      if ((await statusOfSession()) === 200) end()
    }

    function end() {
      ended.abort()
      tabs.close()
      dialog.remove()
      resolve()
    }
  })
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
function reasonOf(error, wrong) {
  if (!(error instanceof Refusal)) return text('unreachable')
  return error.status === 401 ? wrong : reasonOfRefusal(error)
}
