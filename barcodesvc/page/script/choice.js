/** A choice among values, with its label. */

import { element } from './dom.js'

/**
 * @param {string} label
 * @param {[value: string, shown: string][]} options
 * @param {string} chosen one of the values; else the first is chosen
 * @param {(value: string) => void} changed
 */
export function choice(label, options, chosen, changed) {
  const field = element(
    'select',
    { onchange: () => changed(field.value) },
    ...options.map(([value, shown]) => element('option', { value }, shown)),
  )
  if (options.some(([value]) => value === chosen)) field.value = chosen
  return { field, label: element('label', null, label, field) }
}
