/** The reasons for a booking that the shop has set, as buttons, of which one may be pressed. */

import { element, fill } from '../dom.js'
import { text } from '../language.js'
import { changes, reasonsToChoose } from '../settings.js'

export class ReasonChoice {
  /**
   * @param {{reason: string, takesAmount: boolean}} booking which gets the reason; it has none if it takes no amount
   * @param {AbortSignal} signal
   */
  constructor(booking, signal) {
    this.booking = booking
    this.node = element('div', { class: 'reasons', role: 'group', 'aria-label': text('product.reason') })
    changes.addEventListener('change', () => this.list(), { signal })
    this.list()
  }

  list() {
    const reasons = reasonsToChoose()
    fill(this.node, ...reasons.map((reason) => this.button(reason)))
    this.update()
  }

  /** @param {string} reason */
  button(reason) {
    const press = () => {
      this.booking.reason = this.booking.reason === reason ? '' : reason
      this.update()
    }
    return element('button', { type: 'button', value: reason, onclick: press }, element('bdi', null, reason))
  }

  /** Show which reason is chosen. Nothing to choose from, or nothing that is booked, hides the buttons. */
  update() {
    const { reason, takesAmount } = this.booking
    const buttons = this.node.querySelectorAll('button')
    this.node.hidden = buttons.length === 0 || !takesAmount
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.value === reason))
  }
}
