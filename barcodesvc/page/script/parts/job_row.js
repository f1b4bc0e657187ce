/** A row of the list of prints: a job of a printer, what has become of it, and what can be done about it. */

import { element } from '../dom.js'
import { moment } from '../formats.js'
import { nameOf } from '../job_names.js'
import { isBad, isOver, jobSays, nextLabel } from '../job_words.js'
import { text } from '../language.js'
import { wholeNumber } from '../typed_values.js'

/** @typedef {import('../printers.js').Job} Job */
/** @typedef {{resend: (job: Job, from: number) => void, cancel: (job: Job) => void}} JobActions */

/**
 * @param {Job} job
 * @param {JobActions} actions
 */
export function jobRow(job, actions) {
  const what = `${moment(job.created_at)} · ${text('labels.sum', { count: job.labels })}`
  const name = nameOf(job)
  return element(
    'li',
    { class: 'row apart' },
    element(
      'div',
      { class: 'grow' },
      element('div', null, what, name && ' · ', element('bdi', { class: 'soft' }, name)),
      element('div', { class: isBad(job) ? 'problem' : 'soft' }, jobSays(job)),
    ),
    isOver(job) ? resending(job, actions) : cancelling(job, actions),
  )
}

/**
 * @param {Job} job
 * @param {JobActions} actions
 */
function cancelling(job, { cancel }) {
  return element('button', { type: 'button', onclick: () => cancel(job) }, text('prints.cancel'))
}

/**
 * Return the button that prints a job again; if it is printed in part, with the label from which it does.
 *
 * @param {Job} job
 * @param {JobActions} actions
 */
function resending(job, { resend }) {
  const from = nextLabel(job)
  if (job.labels_sure + job.labels_unsure === 0 || job.labels_sure === job.labels)
    return element('button', { type: 'button', onclick: () => resend(job, 1) }, text('prints.again'))
  const field = element('input', {
    type: 'text',
    inputmode: 'numeric',
    autocomplete: 'off',
    value: from,
    class: 'from',
  })
  const again = () => {
    const typed = wholeNumber(field.value)
    if (typed && typed <= job.labels) return resend(job, typed)
    field.setAttribute('aria-invalid', 'true')
    field.focus()
  }
  const label = element('label', { class: 'row' }, text('prints.from'), field)
  return element(
    'div',
    { class: 'row' },
    label,
    element('button', { type: 'button', onclick: again }, text('prints.again')),
  )
}
