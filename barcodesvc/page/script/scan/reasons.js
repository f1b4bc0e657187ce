/** The reasons for a stock change that the shop has set, as buttons, of which one may be pressed. */

import { text } from '../language.js'
import { reasonsToChoose } from '../settings.js'
import { html } from '../ui.js'

/** @param {{value: string, choose: (reason: string) => void}} props `choose` is called with an empty text to choose none */
export function Reasons({ value, choose }) {
  const reasons = reasonsToChoose()
  if (reasons.length === 0) return null
  return html`
    <div class="reasons" role="group" aria-label=${text('product.reason')}>
      ${reasons.map(
        (each) => html`
          <button
            type="button" key=${each} value=${each} aria-pressed=${String(each === value)}
            onclick=${() => choose(each === value ? '' : each)}
          ><bdi>${each}</bdi></button>`,
      )}
    </div>`
}
