/**
 * Asks for the service's API key once, if it needs one, and opens a session with it; the key is never stored. Meanwhile
 * this device forgets the catalogue.
 *
 * Rule: a key may be scanned. The code of a product is kept as a booking, if it is one, and leaves a half-typed key alone.
 */

import { ask, Refusal, SESSION } from './api.js'
import { forgetCatalogue } from './catalogue/copy.js'
import { text } from './language.js'
import { bad } from './sounds.js'
import { Dialog } from './in_front.js'
import { draw, errorText, Field, html, useEffect, useRef, useSignal } from './ui.js'

/** What can be a key of the service; other scans are the codes of products. */
const KEY = /^[!-~]{24,256}$/

/** How codes begin that are as long as a key: element strings, numbers, links, JSON. */
const CODE = /^([\]([{]|https?:|01\d{14}|\d+$)/i

/** @type {Promise<void> | null} */
let asking = null

/** Ask for the key, and return when a person has entered it. Calls made meanwhile wait for the same dialog. */
export function enterKey() {
  void forgetCatalogue()
  asking ??= opened().finally(() => (asking = null))
  return asking
}

/** @returns {Promise<void>} resolved when a session is open */
function opened() {
  return new Promise((resolve) => {
    const node = document.body.appendChild(document.createElement('div'))
    const finish = () => (end(), node.remove(), resolve())
    const { end } = draw(html`<${KeyDialog} finish=${finish} />`, node)
  })
}

/** @param {{finish: () => void}} props */
function KeyDialog({ finish }) {
  const [key, problem, kept] = [useSignal(''), useSignal(''), useSignal(0)]
  const field = useRef(/** @type {HTMLInputElement | null} */ (null))
  const tabs = useRef(/** @type {BroadcastChannel | null} */ (null))

  useEffect(() => {
    const look = async () => void ((await hasSession()) && finish())
    tabs.current = new BroadcastChannel('session')
    tabs.current.addEventListener('message', look)
    document.addEventListener('visibilitychange', look)
    return () => (tabs.current?.close(), document.removeEventListener('visibilitychange', look))
  }, [])

  /** @param {string} given @param {string} wrong what to say if it is not the key */
  async function give(given, wrong) {
    problem.value = await problemWith(given, wrong)
    if (problem.value) return bad()
    tabs.current?.postMessage('open')
    finish()
  }

  /** @param {CustomEvent<{code: string, keep: () => boolean}>} event */
  function scanned(event) {
    event.preventDefault()
    const { code, keep } = event.detail
    problem.value = ''
    if (KEY.test(code) && !CODE.test(code)) return void give(code, text('key.wrong.scan'))
    if (keep()) return void kept.value++
    bad()
    problem.value = text('key.not-booked', { code })
  }

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault()
    await give(key.value, text('refused.api_key_wrong'))
    field.current?.select()
  }

  // a browser may close it at the second Escape anyway; nothing works without the key
  const again = (/** @type {Event} */ { currentTarget: node }) =>
    node instanceof HTMLDialogElement && node.isConnected && node.showModal()
  const stay = (/** @type {Event} */ event) => event.preventDefault()
  return html`
    <${Dialog} title=${text('key.title')} closed=${again} oncancel=${stay} onscan=${scanned} data-stays>
      <form onsubmit=${submit}>
        <p>${text('key.why')}</p>
        <${Field} label=${text('key.field')} value=${key} field=${field} type="password"
          autocomplete="current-password" required maxlength="256" />
        <p class="problem" role="alert">${problem}</p>
        <p role="status">${kept.value > 0 && text('key.kept', { count: kept.value })}</p>
        <button class="main">${text('key.open')}</button>
      </form>
    <//>`
}

/** Open a session with a key; return what is wrong with it, or nothing. @param {string} key @param {string} wrong what to say if it is not the key */
async function problemWith(key, wrong) {
  try {
    await ask('POST', SESSION, { body: { api_key: key } })
  } catch (error) {
    return error instanceof Refusal && error.status === 401 ? wrong : errorText(error)
  }
  return (await hasSession()) === false ? text('key.cookies') : '' // without the session's cookie the key has no effect
}

/** Whether a request that needs a session is carried out; nothing without a response. */
async function hasSession() {
  try {
    await ask('GET', '/api/products', { query: { limit: 1 }, isQuiet: true })
    return true
  } catch (error) {
    return error instanceof Refusal && error.status === 401 ? false : undefined
  }
}
