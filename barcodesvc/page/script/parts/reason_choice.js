/** The reasons for a booking that the shop has set, as buttons: the pressed one goes with each booking until the mode changes. */

import { element, fill } from '../dom.js'
import { text } from '../language.js'
import { changes, reasonsToChoose } from '../settings.js'

export class ReasonChoice {
  /**
   * @param {import('../scan_session.js').ScanSession} session
   * @param {AbortSignal} signal
   */
  constructor(session, signal) {
    this.session = session
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
      this.session.reason = this.session.reason === reason ? '' : reason
      this.update()
    }
    return element('button', { type: 'button', value: reason, onclick: press }, element('bdi', null, reason))
  }

  /** Show which reason is chosen. Nothing to choose from, or nothing that is booked, hides the buttons. */
  update() {
    const { reason, takesAmount } = this.session
    const buttons = this.node.querySelectorAll('button')
    this.node.hidden = buttons.length === 0 || !takesAmount
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.value === reason))
  }
}
