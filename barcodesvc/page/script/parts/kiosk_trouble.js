/**
 * A job that has failed, or is in doubt, on the kiosk: what is printed, and what can be done.
 *
 * Rule: labels have the numbers of the first job, as on paper. If only the paper tells which one is missing, a person has to
 * say it.
 */

import { element } from '../dom.js'
import { paperNumbers, productsSay } from '../job_words.js'
import { text } from '../language.js'
import { wholeNumber } from '../typed_values.js'
import { stepButton } from './step_button.js'

/** @typedef {import('../printers.js').Job} Job */

/**
 * @param {Job} job
 * @param {{again: (from: number) => void, dismiss: () => void}} actions `again` gets a label of this job, from 1
 */
export function jobTrouble(job, { again, dismiss }) {
  const { first, last } = paperNumbers(job)
  const isPart = job.labels > 1 && job.labels_sure + job.labels_unsure > 0
  const missing = isPart ? missingLabel(job) : null
  const problem = element('p', { class: 'problem', role: 'alert' })

  /** @param {SubmitEvent} event */
  function submit(event) {
    event.preventDefault()
    const number = missing ? (wholeNumber(missing.field.value) ?? 0) : first
    if (number >= first && number <= last) return again(number - first + 1)
    problem.textContent = text('prints.number.wrong', { from: first, to: last })
    missing?.field.focus()
  }

  const node = element(
    'form',
    { class: 'trouble', onsubmit: submit },
    element('div', { role: 'alert' }, element('h1', null, element('bdi', null, productsSay(job)))),
    missing?.node,
    problem,
    element(
      'div',
      { class: 'row' },
      element('button', null, text('prints.again')),
      element('button', { type: 'button', onclick: dismiss }, text('kiosk.seen')),
    ),
  )
  return { node, type: (/** @type {string} */ typed) => missing?.type(typed) ?? false }
}

/**
 * The field for the first label that is missing; it is empty if only the paper tells it.
 *
 * @param {Job} job
 */
function missingLabel(job) {
  const { first, last, next } = paperNumbers(job)
  const field = element('input', {
    type: 'text',
    inputmode: 'numeric',
    autocomplete: 'off',
    value: job.labels_unsure ? '' : next,
  })
  const step = (/** @type {number} */ by) => {
    const typed = wholeNumber(field.value)
    field.value = String(typed ? Math.min(last, Math.max(first, typed + by)) : next)
  }
  const node = element(
    'div',
    { class: 'row missing' },
    stepButton(text('labels.fewer'), '−', () => step(-1)),
    element('label', null, text('kiosk.missing'), field),
    stepButton(text('labels.more'), '+', () => step(1)),
  )
  return {
    node,
    field,
    /** Write digits that were typed while the field had no focus. @param {string} typed */
    type(typed) {
      if (!/^\d+$/.test(typed)) return false
      field.value = typed
      field.focus()
      return true
    },
  }
}
