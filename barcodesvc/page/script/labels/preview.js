/**
 * The labels as they will be printed: a picture of the first page, or of one label of a roll, or why it cannot be.
 *
 * Rule: the picture follows the last change after a pause, and one request is under way at a time.
 */

import { file, Refusal } from '../api.js'
import { element, fill } from '../dom.js'
import { text } from '../language.js'
import { previewRequest, whyNotPrinted } from './printing.js'
import { failure } from '../failure.js'

/** Milliseconds after the last change. */
const PAUSE = 400

/** The status of a response that refuses what the request says. */
const WRONG = 400

/** @typedef {import('./printing.js').Order} Order */

/**
 * @param {AbortSignal} signal
 * @param {{pause?: number, refused?: () => void}} [options] `refused` is called if there is no picture
 */
export function labelPreview(signal, { pause = PAUSE, refused } = {}) {
  const release = () => URL.revokeObjectURL(picture.src)
  const picture = element('img', { alt: text('labels.preview.of'), hidden: true, onload: release })
  const outcome = element('div', { role: 'status' })
  const node = element('div', { class: 'preview' }, picture, outcome)
  /** What is wanted, and what is shown: requests as JSON, or nothing. */
  let [wanted, shown] = ['', '']
  let symbology = ''
  /** The request that the service has refused for what it says. */
  let refusedRequest = ''
  let isBusy = false
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  /**
   * Show an order soon; null shows nothing.
   *
   * @param {Order | null} order
   * @param {number} most labels on a page
   */
  function show(order, most) {
    const request = order?.products.length ? JSON.stringify(previewRequest(order, most)) : ''
    if (request === wanted) return
    wanted = request
    symbology = order?.symbology ?? ''
    clearTimeout(timer)
    if (request) timer = setTimeout(() => void refresh(), pause)
    else hide()
  }

  async function refresh() {
    if (isBusy) return
    isBusy = true
    node.setAttribute('aria-busy', 'true')
    while (wanted && wanted !== shown && !signal.aborted) {
      const asked = wanted
      await file('POST', '/api/codes/printable', { body: JSON.parse(asked), signal }).then(
        (png) => asked === wanted && draw(png),
        (error) => asked === wanted && !signal.aborted && explain(error),
      )
      if (asked === wanted) shown = asked
    }
    node.removeAttribute('aria-busy')
    isBusy = false
  }

  /** @param {Blob} png */
  function draw(png) {
    picture.src = URL.createObjectURL(png)
    picture.hidden = false
    fill(outcome)
  }

  /** @param {unknown} error */
  function explain(error) {
    hide()
    if (!(error instanceof Refusal)) return fill(outcome, failure(error, again))
    if (error.status === WRONG) refusedRequest = wanted
    fill(outcome, element('p', { class: 'problem' }, whyNotPrinted(error, symbology)))
    refused?.()
  }

  function again() {
    shown = ''
    void refresh()
  }

  function hide() {
    if (!wanted) shown = ''
    picture.hidden = true
    fill(outcome)
  }

  /** Whether the order that is shown cannot be printed. */
  function isRefused() {
    return wanted !== '' && wanted === refusedRequest
  }

  return { node, show, isRefused }
}
