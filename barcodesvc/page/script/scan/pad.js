/**
 * The number pad: how many a scan books, or which level it sets. Where a product waits for its amount, one button books it;
 * otherwise minus, plus and set change the product that is shown. It needs no keyboard, and is always in the same place.
 */

import { text } from '../language.js'
import { Button, html, Icon, IconButton, useLayoutEffect, useRef } from '../ui.js'
import { SIGNS } from './modes.js'
import { Reasons } from './reasons.js'

/** What the digits are for, by their direction: a part of a text's key. */
const KINDS = { 'look-up': 'shown', 'put-in': 'amount', 'take-out': 'amount', set: 'level' }

/** @param {{desk: import('./desk.js').ScanDesk}} props */
export function Pad({ desk }) {
  const { direction, waiting, product, takesAmount } = desk.entered.value
  const isOpen = direction !== 'look-up' || (desk.isOpen.value && product !== '')
  if (!takesAmount) return null
  const chosen = {
    value: desk.entered.value.reason,
    choose: (/** @type {string} */ reason) => desk.chooseReason(reason),
  }
  return html`
    <fieldset class="card pad ${waiting ? 'asks' : ''}" data-mode=${direction}>
      <legend class="unseen"><bdi>${purposeOf(desk)}</bdi></legend>
      <${Reasons} ...${chosen} />
      <p class="problem" role="alert">${desk.problem}</p>
      ${waiting ? html`<${Booking} desk=${desk} />` : product ? html`<${Steps} desk=${desk} />` : html`<${Next} desk=${desk} />`}
      ${isOpen && html`<${Keys} desk=${desk} />`}
    </fieldset>`
}

/** What the amount is for. @param {import('./desk.js').ScanDesk} desk */
function purposeOf({ entered, results }) {
  const { direction, waiting } = entered.value
  const key = `amount.${KINDS[direction]}`
  return waiting ? text(`${key}.of`, { product: results.waitingName.value }) : text(key)
}

/** The amount of the next scan, before any product is shown. @param {{desk: import('./desk.js').ScanDesk}} props */
function Next({ desk }) {
  return html`
    <div class="figure" aria-hidden="true">
      <span class="grow">${purposeOf(desk)}</span><${Icon} name=${SIGNS[desk.entered.value.direction]} /><${Amount} desk=${desk} />
    </div>`
}

/** The button that books the product that waits. It has the focus at once, so that Enter books. @param {{desk: import('./desk.js').ScanDesk}} props */
function Booking({ desk }) {
  const { direction, waiting } = desk.entered.value
  const button = useRef(/** @type {HTMLButtonElement | null} */ (null))
  useLayoutEffect(() => button.current?.focus({ preventScroll: true }), [waiting])
  return html`
    <button type="button" class="main" ref=${button} onclick=${() => desk.confirm()}>
      <${Icon} name=${SIGNS[direction]} /><span>${text(`mode.${direction}`)}</span> <${Amount} desk=${desk} />
    </button>`
}

/** Minus, plus and set for the product that is shown, and the amount between them. @param {{desk: import('./desk.js').ScanDesk}} props */
function Steps({ desk }) {
  const amount = Number(desk.entered.value.typed) || 1
  const step = (/** @type {1 | -1} */ sign) => () => desk.step(sign)
  return html`
    <div class="steps">
      <${IconButton} data-mode="take-out" icon="minus" label=${text('steps.out', { amount })} onclick=${step(-1)} />
      <button
        type="button" class="quantity" aria-label=${text('steps.amount', { amount })} aria-expanded=${String(desk.isOpen.value)}
        onclick=${() => (desk.isOpen.value = !desk.isOpen.value)}
      ><${Amount} desk=${desk} /></button>
      <${IconButton} data-mode="put-in" icon="add" label=${text('steps.in', { amount })} onclick=${step(1)} />
      <${Button} data-mode="set" icon=${SIGNS.set} onclick=${() => desk.set()}>${text('mode.set')}<//>
    </div>`
}

/** @param {{desk: import('./desk.js').ScanDesk}} props */
function Amount({ desk }) {
  const { direction, digits } = desk.entered.value
  return html`<output class="amount" aria-live="off">${digits || (direction === 'set' ? '–' : '1')}</output>`
}

/** Keys in the order of a keyboard's, with what deletes at the end of the rows. @param {{desk: import('./desk.js').ScanDesk}} props */
function Keys({ desk }) {
  const digits = (/** @type {string} */ faces) =>
    [...faces].map((face) => html`<button type="button" key=${face} onclick=${() => desk.type(face)}>${face}</button>`)
  return html`
    <div class="keys">
      ${digits('123')}<button type="button" key="erase" aria-label=${text('amount.erase')} onclick=${() => desk.erase()}>⌫</button>
      ${digits('456')}<button type="button" key="clear" aria-label=${text('amount.clear')} onclick=${() => desk.clear()}>C</button>
      ${digits('7890')}
    </div>`
}
