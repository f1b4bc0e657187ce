/** The number pad: how many a scan books, or which level it sets. It needs no keyboard, takes one all the same, and
 * goes back after a booking. */

import { element } from '../dom.js'
import { text } from '../language.js'

/** Digits of the greatest amount that can be typed. */
const DIGITS = 9

export function amountPad() {
  let digits = ''
  let usual = '1'
  /** @type {((level: number) => void) | null} */
  let wanted = null
  const legend = element('legend')
  const shown = element('output', { class: 'amount', 'aria-live': 'polite' }, usual)
  const problem = element('p', { class: 'problem', role: 'alert' })

  /** @param {string} typed digits; whatever else was typed is none of the pad */
  function type(typed) {
    if (node.hidden || !/^\d+$/.test(typed)) return
    // an amount of none books nothing, a level of none is one
    const leading = usual === '' ? /^0+(?=\d)/ : /^0+/
    hold((digits + typed).replace(leading, '').slice(0, DIGITS))
  }

  /** @param {string} held */
  function hold(held) {
    digits = held
    shown.textContent = held || usual || '–'
    problem.textContent = ''
  }

  function reset() {
    wanted = null
    setting.hidden = true
    hold('')
  }

  function set() {
    if (digits === '') {
      problem.textContent = text('whole-number')
      return
    }
    const [take, level] = [wanted, Number(digits)]
    reset()
    take?.(level)
  }

  const keys = [...'1234567890'].map((digit) =>
    element('button', { type: 'button', onclick: () => type(digit) }, digit),
  )
  const clear = element('button', { type: 'button', onclick: () => hold(''), 'aria-label': text('amount.clear') }, 'C')
  const setting = element('button', { type: 'button', class: 'main', onclick: set, hidden: true }, text('scan.set'))
  const node = element(
    'fieldset',
    { class: 'card pad', hidden: true },
    legend,
    shown,
    element('div', { class: 'keys' }, ...keys, clear),
    setting,
    problem,
  )

  return {
    node,
    reset,
    type,
    /** Take the last digit back. */
    back: () => hold(digits.slice(0, -1)),
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
      reset()
    },
    /**
     * Ask for a level, and call `take` with it when somebody sets it.
     *
     * @param {(level: number) => void} take
     */
    ask(take) {
      reset()
      wanted = take
      setting.hidden = false
      setting.focus()
    },
  }
}
