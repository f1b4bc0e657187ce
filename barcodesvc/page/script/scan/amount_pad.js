/**
 * The number pad: how many a scan books, or which level it sets. While a product waits for its amount, the pad names it,
 * and has a button that books it and one that cancels. It needs no keyboard.
 */

import { openDialog } from '../dialogs.js'
import { element, fill, isTypedInto } from '../dom.js'
import { text } from '../language.js'
import { SIGNS } from './modes.js'
import { symbol } from '../symbols.js'
import { keypad } from '../keypad.js'

export class AmountPad {
  /**
   * @param {import('./session.js').ScanSession} session
   * @param {object} told
   * @param {() => void} told.confirmed called to book the waiting product
   * @param {() => void} told.cancelled
   * @param {() => void} told.changed called when the amount may be another one
   * @param {(amount: string) => void} told.typed called with the amount that a person has typed or deleted
   * @param {() => void} told.discarded called when what was typed is a code, and no amount
   * @param {(amount: string) => void} told.unused called when an Enter follows an amount that is for no product
   */
  constructor(session, told) {
    this.session = session
    this.told = told
    /** The product that waits, as far as it is known. */
    this.product = ''
    /** Whether a person has opened the pad in a mode that scans without an amount. */
    this.isOpen = false
    this.sign = element('span', { class: 'sign' })
    this.legend = element('legend')
    this.amount = element('output', { class: 'amount', 'aria-live': 'off' })
    this.problem = element('p', { class: 'problem', role: 'alert' })
    this.booking = element('button', { type: 'button', class: 'main grow', onclick: () => this.confirm() })
    this.buttons = element(
      'div',
      { class: 'row' },
      this.booking,
      element('button', { type: 'button', onclick: told.cancelled }, text('cancel')),
    )
    this.node = element(
      'fieldset',
      { class: 'card pad' },
      this.legend,
      element('div', { class: 'figure' }, this.sign, this.amount),
      keypad({
        digit: (face) => void this.type(face),
        clear: () => this.clear(),
        erase: () => this.erase(),
      }),
      this.buttons,
      this.problem,
    )
  }

  show() {
    const { direction, waiting, digits, product, counted } = this.session
    if (!waiting && !counted) this.product = ''
    this.node.hidden = direction === 'look-up' && !(this.isOpen && product)
    this.node.dataset['mode'] = direction
    this.buttons.hidden = !waiting
    fill(this.booking, symbol(SIGNS[direction]), text(`mode.${direction}`))
    fill(this.sign, symbol(SIGNS[direction]))
    this.amount.textContent = digits || (direction === 'set' ? '–' : '1')
    this.problem.textContent = ''
    fill(this.legend, this.purpose())
    this.told.changed()
  }

  /** What the amount is for. */
  purpose() {
    const { direction, waiting } = this.session
    const kind = { 'look-up': 'shown', 'put-in': 'amount', 'take-out': 'amount', set: 'level' }[direction]
    if (!waiting) return text(`amount.${kind}`)
    return element('bdi', null, text(`amount.${kind}.of`, { product: this.product }))
  }

  /** Open the pad, or close it. */
  toggle() {
    this.isOpen = !this.isOpen
    this.show()
  }

  /**
   * @param {string} typed
   * @returns {boolean} whether it was used
   */
  type(typed) {
    const kind = this.session.type(typed)
    this.show()
    if (kind === 'used') this.told.typed(this.amount.value)
    if (kind === 'code') this.told.discarded()
    return kind !== 'other'
  }

  /** Process an Enter: it books the waiting product, if the digits before it are an amount. */
  enter() {
    const { typed } = this.session
    const ended = this.session.end()
    if (ended === 'confirm') return this.confirm()
    this.show()
    if (ended === 'code') this.told.discarded()
    if (ended === 'unused') this.told.unused(typed)
  }

  confirm() {
    if (this.session.lacksLevel) this.problem.textContent = text('whole-number')
    else this.told.confirmed()
  }

  clear() {
    this.session.clear()
    this.show()
    this.told.typed(this.amount.value)
  }

  /** Take back the last characters that were typed: they were part of a code. @param {string} typed */
  takeBack(typed) {
    this.session.takeBack(typed.replace(/\D/g, '').length)
    this.show()
  }

  /** Delete the last digit. */
  erase() {
    this.session.erase()
    this.show()
    this.told.typed(this.amount.value)
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const focused = document.activeElement
    if (openDialog() || isTypedInto(focused)) return
    if (event.key === 'Backspace') this.erase()
    if (this.session.waiting && event.key === 'Escape') this.told.cancelled()
    if (event.key !== 'Enter' || !(focused === document.body || focused?.closest('.keys'))) return
    // Enter ends an amount: it does not press the digit that was tapped last
    event.preventDefault()
    this.enter()
  }

  /** @param {string} description of the product that waits */
  name(description) {
    this.product = description
    this.show()
  }

  /** Wait for the amount of another product, shown as its code until more is known. */
  ask() {
    this.product = this.session.waiting
    this.show()
    this.booking.focus({ preventScroll: true })
  }
}
