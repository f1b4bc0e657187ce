/** The number pad: how many a scan books, or which level it sets. It needs no keyboard and goes back after a booking. */

import { element } from '../dom.js'
import { text } from '../language.js'

/** The greatest amount: every level is exact in JSON up to it (RFC 8259, 6). */
const DIGITS = 9

export function amountPad() {
  let digits = ''
  let usual = '1'
  const legend = element('legend')
  const shown = element('output', { class: 'amount', 'aria-live': 'polite' }, '1')

  const press = (/** @type {string} */ digit) => {
    digits = (digits + digit).replace(/^0+(?=\d)/, '').slice(0, DIGITS)
    shown.textContent = digits
  }
  const reset = () => {
    digits = ''
    shown.textContent = usual || '–'
  }
  const keys = [...'123456789', '0'].map((digit) =>
    element('button', { type: 'button', onclick: () => press(digit) }, digit),
  )
  const clear = element('button', { type: 'button', onclick: reset, 'aria-label': text('amount.clear') }, 'C')
  const node = element(
    'fieldset',
    { class: 'card pad' },
    legend,
    shown,
    element('div', { class: 'keys' }, ...keys, clear),
  )

  return {
    node,
    reset,
    /** Return the amount: 1 unless another was typed. */
    amount: () => Number(digits || '1'),
    /** Return what was typed, or null. */
    typed: () => (digits === '' ? null : Number(digits)),
    /**
     * Name what is typed, and what stands there while nothing is.
     *
     * @param {string} title
     * @param {string} amount
     */
    show(title, amount) {
      node.hidden = false
      legend.textContent = title
      usual = amount
      reset()
    },
    hide() {
      node.hidden = true
    },
  }
}
