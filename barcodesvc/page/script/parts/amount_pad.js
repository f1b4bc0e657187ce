/**
 * The number pad: how many a scan books, or which level it sets. While a product waits for its amount, the pad names it,
 * and has a button that books it and one that cancels. It needs no keyboard.
 */

import { element, fill } from '../dom.js'
import { text } from '../language.js'

/**
 * @param {import('../scan_session.js').ScanSession} session
 * @param {() => void} confirmed called to book the waiting product
 * @param {() => void} cancelled
 * @param {() => void} discarded called when what was typed is a code, and no amount
 */
export function amountPad(session, confirmed, cancelled, discarded) {
  /** The product that waits, as far as it is known. */
  let product = ''
  const legend = element('legend')
  const amount = element('output', { class: 'amount', 'aria-live': 'polite' })
  const problem = element('p', { class: 'problem', role: 'alert' })

  function show() {
    const { mode, waiting, digits } = session
    const kind = mode === 'set' ? 'level' : 'amount'
    if (!waiting) product = ''
    node.hidden = mode === 'look-up'
    buttons.hidden = !waiting
    booking.textContent = text(`mode.${mode}`)
    amount.textContent = digits || (mode === 'set' ? '–' : '1')
    problem.textContent = ''
    fill(legend, waiting ? element('bdi', null, text(`amount.${kind}.of`, { product })) : text(`amount.${kind}`))
  }

  /**
   * @param {string} typed
   * @returns {boolean} whether it was used
   */
  function type(typed) {
    const kind = session.type(typed)
    show()
    if (kind === 'code') discarded()
    return kind !== 'other'
  }

  /** Process an Enter: it books the waiting product, if the digits before it are an amount. */
  function enter() {
    const isOfCode = session.enterIsOfCode()
    if (!isOfCode) return session.waiting ? confirm() : undefined
    show()
    discarded()
  }

  function confirm() {
    if (session.lacksLevel) problem.textContent = text('whole-number')
    else confirmed()
  }

  function clear() {
    session.clear()
    show()
  }

  const keys = [...'1234567890'].map((digit) =>
    element('button', { type: 'button', onclick: () => type(digit) }, digit),
  )
  const clearing = element('button', { type: 'button', onclick: clear, 'aria-label': text('amount.clear') }, 'C')
  const booking = element('button', { type: 'button', class: 'main grow', onclick: confirm })
  const buttons = element(
    'div',
    { class: 'row' },
    booking,
    element('button', { type: 'button', onclick: cancelled }, text('cancel')),
  )
  const node = element(
    'fieldset',
    { class: 'card pad' },
    legend,
    amount,
    element('div', { class: 'keys' }, ...keys, clearing),
    buttons,
    problem,
  )

  return {
    node,
    show,
    type,
    enter,
    /** Delete the last digit. */
    erase() {
      session.erase()
      show()
    },
    /** Return the product that waits. */
    product: () => product,
    /** @param {string} description of the product that waits */
    name(description) {
      product = description
      show()
    },
    /** Wait for the amount of another product, shown as its code until more is known. */
    ask() {
      product = session.waiting
      show()
      booking.focus()
    },
  }
}
