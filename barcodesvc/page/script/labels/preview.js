/**
 * One label as it will be printed, in large, or why it cannot be.
 *
 * Rule: the picture follows the last change after a pause, and one request is under way at a time.
 */

import { file, Refusal } from '../api.js'
import { text } from '../language.js'
import { Failure, html, useEffect, useRef, useSignal } from '../ui.js'
import { previewRequest, whyNotPrinted } from './printing.js'

/** Milliseconds after the last change. */
const PAUSE = 400

/** The status of a response that refuses what the request says. */
const WRONG = 400

/** @typedef {{asked: string, picture: string, error: unknown}} Outcome of a request */

/** @type {Outcome} */
const NOTHING = { asked: '', picture: '', error: null }

/**
 * `refused` is called if an order cannot be printed, and `drawn` once it can.
 *
 * @param {{order: import('../types.js').Order | null, pause?: number, refused?: (order: unknown) => void}} props
 */
export function LabelPreview({ order, pause = PAUSE, refused }) {
  const request = order?.products.length ? JSON.stringify(previewRequest(order)) : ''
  const { outcome, isBusy, again } = usePicture(request, pause)
  const { asked, picture, error } = outcome
  const isRefused = asked === request && error instanceof Refusal && error.status === WRONG
  useEffect(() => void (isRefused && refused?.(order)), [isRefused, request])
  if (!request) return html`<div class="preview"></div>`
  return html`
    <div class="preview" aria-busy=${isBusy ? 'true' : undefined}>
      ${picture && html`<img src=${picture} alt=${text('labels.preview.of')} />`}
      <div role="status">
        ${error instanceof Refusal && html`<p class="problem">${whyNotPrinted(error, order?.symbology ?? '')}</p>`}
      </div>
      ${error && !(error instanceof Refusal) && html`<${Failure} error=${error} again=${again} />`}
    </div>`
}

/**
 * Return the outcome of the last request; an empty one has none.
 *
 * @param {string} request
 * @param {number} pause
 */
function usePicture(request, pause) {
  const outcome = useSignal(NOTHING)
  const isBusy = useSignal(false)
  const wanted = useRef('')
  wanted.current = request
  async function refresh() {
    if (isBusy.peek()) return
    isBusy.value = true
    while (wanted.current && wanted.current !== outcome.peek().asked) {
      const asked = wanted.current
      const found = await made(asked)
      if (asked === wanted.current) show(outcome, found)
      else URL.revokeObjectURL(found.picture)
    }
    isBusy.value = false
  }
  useEffect(() => {
    if (!request) return show(outcome, NOTHING)
    const timer = setTimeout(() => void refresh(), pause)
    return () => clearTimeout(timer)
  }, [request])
  useEffect(
    () => () => {
      wanted.current = ''
      show(outcome, NOTHING)
    },
    [],
  )
  const again = () => {
    show(outcome, NOTHING)
    void refresh()
  }
  return { outcome: outcome.value, isBusy: isBusy.value, again }
}

/** Show an outcome instead of the last one, whose picture is released. @type {(shown: import('@preact/signals').Signal<Outcome>, outcome: Outcome) => void} */
function show(shown, outcome) {
  URL.revokeObjectURL(shown.peek().picture)
  shown.value = outcome
}

/** @type {(asked: string) => Promise<Outcome>} */
function made(asked) {
  return file('POST', '/api/codes/printable', { body: JSON.parse(asked) }).then(
    (png) => ({ asked, picture: URL.createObjectURL(png), error: null }),
    (error) => ({ asked, picture: '', error }),
  )
}
