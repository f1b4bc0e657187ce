/** What corrects where the printer of this browser prints a sheet. It is kept on this device. */

import { locale, text } from '../language.js'
import { BOUNDS, change, settings, within } from '../settings.js'
import { decimal } from '../typed_values.js'
import { Field, html, useSignal } from '../ui.js'

export function Adjustment() {
  return html`
    <details class="adjustment">
      <summary>${text('labels.adjust')}</summary>
      <p class="soft">${text('labels.adjust.why')}</p>
      <div class="side-by-side">
        <${Correction} name="offsetX" label=${text('labels.offset-x')} />
        <${Correction} name="offsetY" label=${text('labels.offset-y')} />
        <${Correction} name="scale" label=${text('labels.scale')} />
      </div>
    </details>`
}

/** A number within its bounds; an invalid one is not stored and says so. @param {{name: keyof typeof BOUNDS, label: string}} props */
function Correction({ name, label }) {
  const [least = 0, greatest = 0] = BOUNDS[name]
  const format = new Intl.NumberFormat(locale(), { useGrouping: false, maximumFractionDigits: 3 })
  const typed = useSignal(format.format(settings()[name]))
  const isValid = within(name, decimal(typed.value))
  const keep = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget: { value } }) => {
    typed.value = value
    if (within(name, decimal(value))) change({ [name]: decimal(value) })
  }
  return html`
    <${Field} label=${label} value=${typed.value} oninput=${keep} autocomplete="off" maxlength="10"
      inputmode=${least < 0 ? 'text' : 'decimal'}
      problem=${isValid ? '' : text('labels.bounds', { least, greatest })} />`
}
