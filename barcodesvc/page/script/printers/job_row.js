/** A row of the list of prints: a job of a printer, what has become of it, and what can be done about it. */

import { element } from '../dom.js'
import { moment } from '../formats.js'
import { codesOfJob, isOver, onPaper, paperNumbers } from './job_words.js'
import { text } from '../language.js'
import { wholeNumber } from '../typed_values.js'

/**
 * A job as the list shows it: `says` is what has become of it, `needs` whether a person has to see to it, and `rest` the
 * job that prints it again.
 *
 * @typedef {import('./printers.js').Job} Job
 * @typedef {{job: Job, says: string, needs: boolean, rest: Job | null}} Shown
 *
 * @typedef {object} JobActions
 * @property {(job: Job, from: number) => void} resend prints a job again from one of its labels, as it counts them
 * @property {(job: Job) => void} cancel
 * @property {(job: Job) => void} settle puts a job aside
 */

/**
 * @param {Shown} shown
 * @param {JobActions} actions
 */
export function jobRow(shown, actions) {
  const { job, says, needs } = shown
  const what = `${moment(job.created_at)} · ${labelsOf(job)}`
  const name = codesOfJob(job)
  return element(
    'li',
    { class: 'row apart' },
    element(
      'div',
      { class: 'grow' },
      element('div', null, what, name && ' · ', element('bdi', { class: 'soft' }, name)),
      element('div', { class: needs ? 'problem' : 'soft' }, says),
    ),
    ...buttons(shown, actions),
  )
}

/**
 * Return how many labels a job has, or which ones of the first request.
 *
 * @param {Job} job
 */
function labelsOf(job) {
  const count = text('labels.sum', { count: job.labels })
  if (onPaper(job, 1) === 1) return count
  return `${count} (${text('prints.rest', { from: onPaper(job, 1), to: onPaper(job, job.labels) })})`
}

/**
 * @param {Shown} shown
 * @param {JobActions} actions
 */
function buttons({ job, needs, rest }, actions) {
  if (job.isCancelling || (rest && job.labels_sure < job.labels)) return []
  if (!isOver(job)) return [button(text('prints.cancel'), () => actions.cancel(job))]
  const settling = needs ? [button(text('prints.not-needed'), () => actions.settle(job))] : []
  return [resending(job, actions), ...settling]
}

/**
 * Return the button that prints a job again; if it is printed in part, with the label from which it does.
 *
 * @param {Job} job
 * @param {JobActions} actions
 */
function resending(job, { resend }) {
  if (job.labels_sure + job.labels_unsure === 0 || job.labels_sure === job.labels)
    return button(text('prints.again'), () => resend(job, 1))
  const { first, last, next } = paperNumbers(job)
  const problem = element('div', { class: 'problem', role: 'alert' })
  const field = element('input', {
    type: 'text',
    inputmode: 'numeric',
    autocomplete: 'off',
    value: next,
    class: 'from',
  })
  const again = () => {
    const typed = wholeNumber(field.value)
    if (typed && typed >= first && typed <= last) return resend(job, typed - first + 1)
    field.setAttribute('aria-invalid', 'true')
    problem.textContent = text('prints.number.wrong', { from: first, to: last })
    field.focus()
  }
  const label = element('label', { class: 'row' }, text('prints.from'), field)
  return element('div', null, element('div', { class: 'row' }, label, button(text('prints.again'), again)), problem)
}

/**
 * @param {string} name
 * @param {() => void} press
 */
function button(name, press) {
  return element('button', { type: 'button', onclick: press }, name)
}
