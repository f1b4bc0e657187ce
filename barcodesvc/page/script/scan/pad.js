/**
 * The number pad: how many a scan books, or which level it sets. Where a product waits for its amount, one button books it;
 * otherwise minus, plus and set change the product that is shown. It needs no keyboard, and is always in the same place.
 */

import { text } from '../language.js'
import { reasonsToChoose, settings } from '../settings.js'
import { Button, Check, html, Icon, IconButton, useLayoutEffect, useRef } from '../ui.js'
import { amountOf, confirm, erase, nameOfWaiting, take, typeIn, write } from './desk.js'
import { directionOf, setLevel, step, takesAmount } from './session.js'

/** @typedef {{desk: import('./desk.js').Desk}} Props */

/** What the digits are for, by their direction: a part of a text's key. */
const KINDS = { 'look-up': 'shown', 'put-in': 'amount', 'take-out': 'amount', set: 'level' }

/** @param {Props} props */
export function Pad({ desk }) {
  const { waiting, product, reason } = desk.session
  const direction = directionOf(desk.session)
  if (!takesAmount(desk.session)) return null
  const kind = `amount.${KINDS[direction]}`
  const purpose = waiting.value ? text(`${kind}.of`, { product: nameOfWaiting(desk) }) : text(kind)
  const inside = desk.shown.value.product?.embedded?.kind
  const isAsked = settings.embedded.value || inside === 'weight' || inside === 'count'
  const Part = waiting.value ? Confirm : product.value ? Steps : Next
  return html`
    <fieldset class="card pad ${waiting.value ? 'asks' : ''}" data-mode=${direction}>
      <legend class="unseen"><bdi>${purpose}</bdi></legend>
      <${Reasons} reason=${reason} />
      ${isAsked && ['put-in', 'take-out'].includes(direction) && html`<${Check} label=${text('scan.embedded')} value=${settings.embedded} />`}
      <${Part} desk=${desk} purpose=${purpose} />
      ${(direction !== 'look-up' || desk.isOpen.value) && html`<${Keys} desk=${desk} />`}
    </fieldset>`
}

/** The reasons that the shop has set, of which one may be pressed. @param {{reason: import('../types.js').Signal<string>}} props */
export function Reasons({ reason }) {
  const reasons = reasonsToChoose()
  const button = (/** @type {string} */ each) => {
    const isChosen = each === reason.value.trim()
    const choose = () => (reason.value = isChosen ? '' : each)
    return html`
      <button type="button" key=${each} value=${each} aria-pressed=${String(isChosen)} onclick=${choose}><bdi>${each}</bdi></button>`
  }
  if (reasons.length === 0) return null
  return html`<div class="reasons" role="group" aria-label=${text('product.reason')}>${reasons.map(button)}</div>`
}

/** The amount of the next scan, before any product is shown. @param {Props & {purpose: string}} props */
function Next({ desk, purpose }) {
  return html`
    <div class="figure" aria-hidden="true">
      <span class="grow soft">${purpose}</span><${Icon} name=${directionOf(desk.session)} /><${Amount} desk=${desk} />
    </div>`
}

/** The button that books the product that waits. It has the focus at once, so that Enter books. @param {Props} props */
function Confirm({ desk }) {
  const { waiting } = desk.session
  const direction = directionOf(desk.session)
  const button = useRef(/** @type {HTMLButtonElement | null} */ (null))
  useLayoutEffect(() => button.current?.focus({ preventScroll: true }), [waiting.value])
  return html`
    <button type="button" class="main" ref=${button} onclick=${() => confirm(desk)}>
      <${Icon} name=${direction} /><span>${text(`mode.${direction}`)}</span> <${Amount} desk=${desk} />
    </button>`
}

/** Minus, plus and set for the product that is shown, and the amount between them. @param {Props} props */
function Steps({ desk }) {
  const { isOpen, session } = desk
  const amount = Number(session.typed.value) || 1
  const toggle = () => (isOpen.value = !isOpen.value)
  return html`
    <div class="steps">
      <${IconButton} data-mode="take-out" icon="minus" label=${text('steps.out', { amount })} onclick=${() => take(desk, step(session, -1))} />
      <button
        type="button" class="quantity" aria-label=${text('steps.amount', { amount })} aria-expanded=${String(isOpen.value)}
        onclick=${toggle}
      ><${Amount} desk=${desk} /></button>
      <${IconButton} data-mode="put-in" icon="add" label=${text('steps.in', { amount })} onclick=${() => take(desk, step(session, 1))} />
      <${Button} data-mode="set" icon="set" onclick=${() => take(desk, setLevel(session))}>${text('mode.set')}<//>
    </div>`
}

/** @param {Props} props */
function Amount({ desk }) {
  return html`<output class="amount" aria-live="off">${amountOf(desk)}</output>`
}

/** Keys in the order of a keyboard's, with what deletes at the end of the rows. @param {Props} props */
function Keys({ desk }) {
  const digits = (/** @type {string} */ faces) =>
    [...faces].map(
      (face) => html`<button type="button" key=${face} onclick=${() => typeIn(desk, face)}>${face}</button>`,
    )
  return html`
    <div class="keys">
      ${digits('123')}<button type="button" key="erase" aria-label=${text('amount.erase')} onclick=${() => erase(desk)}>⌫</button>
      ${digits('456')}<button type="button" key="clear" aria-label=${text('amount.clear')} onclick=${() => write(desk, '')}>C</button>
      ${digits('7890')}
    </div>`
}
