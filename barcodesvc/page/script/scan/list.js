/** The stock changes of this device, newest first, each with what became of it and what can be done; at first those of the shop. */

import { ask, Refusal } from '../api.js'
import { discardAll, isListWanted, isPaused, listed, obstacle } from '../bookings/store.js'
import { refused, retry, retryAll, undo, unsent } from '../bookings/store.js'
import { amountOf, moment, number } from '../formats.js'
import { Confirm, showDialog } from '../in_front.js'
import { text } from '../language.js'
import { LastMovements, MovementRow } from '../movements.js'
import { recall } from '../resolve_scan.js'
import { Button, html, Icon, IconButton, Mark, refusalText } from '../ui.js'
import { useEffect, useRef, useSignal, useSignalEffect } from '../ui.js'
import { createProduct } from './panel.js'

/** @typedef {import('../types.js').Booking} Booking */

/** Movements of the shop that are shown. */
const MOST = 8

/** How each state looks: its colours, and its sign for users who see no colours. */
const LOOKS = /** @type {const} */ ({ waiting: ['wait', 'waiting'], booked: ['good', 'good'], undone: ['', 'undo'] })

/** A count that is discarded is lost: it would have to be made again. */
function askToDiscard() {
  const title = text('bookings.discard.title', { count: refused.value.length })
  showDialog(
    (close) =>
      html`<${Confirm} title=${title} action=${text('bookings.discard')} confirmed=${discardAll} closed=${close} />`,
  )
}

export function BookingList() {
  /** Rows that are drawn already, by their bookings: in a storm of scans only what has changed is drawn. */
  const rows = useRef(/** @type {WeakMap<Booking, import('../types.js').Children>} */ (new WeakMap()))
  const list = useRef(/** @type {HTMLElement | null} */ (null))
  useSignalEffect(() => {
    if (!isListWanted.value || !list.current) return
    isListWanted.value = false
    list.current.focus({ preventScroll: true })
    const first = list.current.querySelector('[data-state=refused]') ?? list.current
    first.scrollIntoView({ block: 'center' })
  })
  if (listed.value.length === 0 && !isPaused.value)
    return html`
      <${LastMovements} class="card movements-side" load=${lastOfShop} inputs=${[]}>
        <h2><a href="#stock">${text('stock.moved')}</a></h2>
      <//>`
  const row = (/** @type {Booking} */ booking) => {
    const drawn = rows.current.get(booking) ?? html`<${BookingRow} key=${booking.id} booking=${booking} list=${list} />`
    rows.current.set(booking, drawn)
    return drawn
  }
  return html`
    <section class="card bookings-side">
      <div class="row">
        <h2 class="grow">${text('bookings')}</h2>
        ${unsent.value > 0 && html`<${Mark} kind="wait">${text('bookings.waiting', { count: unsent.value })}<//>`}
      </div>
      ${isPaused.value && html`<p class="soft">${whyUnsent(obstacle.value)}</p>`}
      ${
        refused.value.length > 1 &&
        html`
          <div class="row">
            <${Button} onclick=${retryAll}>${text('bookings.retry')}<//>
            <${Button} kind="danger" onclick=${askToDiscard}>${text('bookings.discard')}<//>
          </div>`
      }
      <ol class="bookings" aria-label=${text('bookings')} tabindex="-1" ref=${list}>${listed.value.map(row)}</ol>
    </section>`
}

/** `list` gets the focus of a button that goes. @param {{booking: Booking, list: {current: HTMLElement | null}}} props */
export function BookingRow({ booking, list }) {
  const { code, delta, result, state, problem } = booking
  const remembered = useRemembered(booking)
  const known = result?.description ?? problem?.details?.description ?? remembered?.description
  const itsCode = result?.productCode ?? code
  const press = (/** @type {() => unknown} */ act) => () => {
    list.current?.focus({ preventScroll: true })
    void act()
  }
  return html`
    <${MovementRow}
      value=${result ? result.newLevel - result.oldLevel : (delta ?? 0)} amount=${amountOf(booking, result ? undefined : remembered?.pack)}
      name=${known || html`<span class="code">${itsCode}</span>`} code=${known ? itsCode : ''}
      facts=${factsOf(booking, known)} data-state=${state}
    >
      ${actionsOf(booking).map(
        ([icon, label, act]) => html`<${IconButton} key=${icon} icon=${icon} label=${label} onclick=${press(act)} />`,
      )}
    <//>`
}

/** What can be done about a booking: the icon, the name and the effect of each button. @param {Booking} booking @returns {(readonly [string, string, () => unknown])[]} */
function actionsOf({ id, state, problem, undoKey }) {
  const offered = problem?.details?.new_product
  if (state === 'undone' || undoKey) return []
  const drop = () => undo(id)
  if (state !== 'refused') return [['undo', text('booking.undo'), drop]]
  const create = /** @type {const} */ (['add', text('scan.create'), () => createProduct(offered)])
  const again = /** @type {const} */ (['again', text('booking.retry'), () => retry(id)])
  return [...(offered ? [create] : []), again, ['bad', text('booking.drop'), drop]]
}

/** What became of a booking, when and why it was made. One that is refused needs no more than the problem. @param {Booking} booking @param {string | undefined} known */
function factsOf({ state, undoKey, problem, delta, result, scannedAt, reason }, known) {
  const says = problem && html`<span class="problem">${refusalText(problem, delta)}</span>`
  if (state === 'refused') return [says]
  const [kind, sign] = LOOKS[undoKey ? 'waiting' : state]
  return [
    html`<${Mark} kind=${kind}><${Icon} name=${sign} />${text(undoKey ? 'booking.undoing' : `booking.${state}`)}<//>`,
    says,
    state === 'booked' && result && `${number(result.oldLevel)} → ${number(result.newLevel)}`,
    scannedAt && moment(scannedAt),
    reason && html`<bdi>${reason}</bdi>`,
    state === 'waiting' && isPaused.value && !known && text('booking.unchecked'),
  ]
}

/** What this device remembers of the product of a booking that waits, while the service cannot be reached. @param {Booking} booking */
function useRemembered({ code, state }) {
  const product = useSignal(/** @type {import('../resolve_scan.js').FoundProduct | null} */ (null))
  const isAsked = state === 'waiting' && isPaused.value
  useEffect(() => {
    if (isAsked) void recall(code).then((known) => (product.value = known))
  }, [isAsked])
  return product.value
}

/** @param {Error | null} error */
function whyUnsent(error) {
  if (error instanceof Refusal) return text('bookings.held', { why: refusalText(error) })
  return [text('bookings.resting'), !window.isSecureContext && text('offline.plain')].filter(Boolean).join(' ')
}

/** Load the last movements of the shop. They are an extra: a service that cannot be reached, or needs a key first, is left alone. @param {AbortSignal} signal */
const lastOfShop = (signal) => ask('GET', '/api/inventory/changes', { query: { limit: MOST }, signal, isQuiet: true })
