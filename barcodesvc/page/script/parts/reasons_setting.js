/** The setting of the reasons that a person can choose for a booking. */

import { element } from '../dom.js'
import { text } from '../language.js'
import { change, settings } from '../settings.js'

export function reasonsSetting() {
  const field = element('input', {
    type: 'text',
    autocomplete: 'off',
    maxlength: 500,
    value: settings().reasons,
    placeholder: text('settings.reasons.example'),
    oninput: () => change({ reasons: field.value }),
  })
  return element(
    'section',
    { class: 'card' },
    element('h2', null, text('settings.reasons')),
    element('label', null, text('settings.reasons.field'), field),
    element('p', { class: 'soft' }, text('settings.reasons.why')),
  )
}
