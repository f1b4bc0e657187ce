/**
 * A job that has failed, or is in doubt, on the kiosk: what is known of it, and what can be done.
 *
 * Rule: if only the paper tells how many labels came out, a person has to say it. They count those of this job, of which the
 * first ones came out.
 */

import { element } from '../dom.js'
import { jobSays } from '../printers/job_words.js'
import { text } from '../language.js'
import { wholeNumber } from '../typed_values.js'
import { stepButton } from '../step_button.js'

/** @typedef {import('../types.js').Job} Job */

/**
 * @param {Job} job
 * @param {string} product its name
 * @param {{again: (from: number) => void, dismiss: () => void}} actions `again` gets a label of this job, from 1
 */
export function jobTrouble(job, product, { again, dismiss }) {
  const { labels, labels_sure: sure, labels_unsure: unsure, printer } = job
  const isPart = labels > 1 && sure + unsure > 0
  const cameOut = isPart ? labelsThatCameOut(job) : null
  const problem = element('p', { class: 'problem', role: 'alert' })
  const title = isPart ? text('kiosk.how-many', { labels, product }) : `${product}: ${jobSays(job)}`
  const known = isPart && text('kiosk.broke-off', { name: printer, sure, most: sure + unsure })

  /** @param {SubmitEvent} event */
  function submit(event) {
    event.preventDefault()
    if (!cameOut) return again(1)
    const count = wholeNumber(cameOut.field.value)
    if (count === labels) return dismiss()
    if (count !== null && count < labels) return again(count + 1)
    problem.textContent = text('kiosk.came-out.wrong', { labels })
    cameOut.field.focus()
  }

  const node = element(
    'form',
    { class: 'trouble', onsubmit: submit },
    element(
      'div',
      { role: 'alert' },
      element('h1', null, element('bdi', null, title)),
      known && element('p', null, known),
    ),
    cameOut?.node,
    problem,
    element(
      'div',
      { class: 'row' },
      element('button', null, text(isPart ? 'kiosk.rest' : 'prints.again')),
      element('button', { type: 'button', onclick: dismiss }, text('kiosk.seen')),
    ),
  )
  return {
    node,
    type: (/** @type {string} */ typed) => cameOut?.type(typed) ?? false,
    takeBack: () => cameOut?.takeBack(),
  }
}

/**
 * The field for the number of labels that came out; it is empty if only the paper tells it.
 *
 * @param {Job} job
 */
function labelsThatCameOut({ labels, labels_sure: sure, labels_unsure: unsure }) {
  const field = element('input', {
    type: 'text',
    inputmode: 'numeric',
    autocomplete: 'off',
    value: unsure ? '' : sure,
  })
  const step = (/** @type {number} */ by) => {
    const typed = wholeNumber(field.value)
    field.value = String(typed === null ? sure : Math.min(labels, Math.max(0, typed + by)))
  }
  let untyped = field.value
  const node = element(
    'div',
    { class: 'row missing' },
    stepButton(text('labels.fewer'), '−', () => step(-1)),
    element('label', null, text('kiosk.came-out'), field),
    stepButton(text('labels.more'), '+', () => step(1)),
  )
  return {
    node,
    field,
    /** Write digits that were typed while the field had no focus. @param {string} typed */
    type(typed) {
      if (!/^\d+$/.test(typed)) return false
      untyped = field.value
      field.value = typed
      field.focus()
      return true
    },
    /** Take back the digits, and the focus. */
    takeBack() {
      field.value = untyped
      field.blur()
    },
  }
}
