/** Minus, plus and set for the product on the panel, each with its sign and colour, and the amount between them. */

import { element, fill } from '../dom.js'
import { text } from '../language.js'
import { SIGNS } from './modes.js'
import { symbol } from '../symbols.js'

export class ProductSteps {
  /**
   * @param {import('./session.js').ScanSession} session
   * @param {import('./panel.js').PanelActions} actions
   */
  constructor(session, { step, set, openPad }) {
    this.session = session
    this.minus = stepButton('take-out', () => step(-1))
    this.plus = stepButton('put-in', () => step(1))
    this.quantity = element('button', { type: 'button', class: 'quantity', onclick: openPad })
    this.setting = stepButton('set', set)
    fill(this.setting, symbol(SIGNS.set), text('mode.set'))
    this.node = element('div', { class: 'steps' }, this.minus, this.quantity, this.plus, this.setting)
  }

  /** Show the typed amount. */
  update() {
    const amount = Number(this.session.typed) || 1
    this.quantity.textContent = this.session.typed || '1'
    this.quantity.setAttribute('aria-label', text('steps.amount', { amount }))
    this.minus.setAttribute('aria-label', text('steps.out', { amount }))
    this.plus.setAttribute('aria-label', text('steps.in', { amount }))
  }
}

/**
 * @param {import('./modes.js').Mode} mode
 * @param {() => void} press
 */
function stepButton(mode, press) {
  const sign = mode === 'put-in' ? 'add' : 'minus'
  return element('button', { type: 'button', 'data-mode': mode, onclick: press }, symbol(sign))
}
