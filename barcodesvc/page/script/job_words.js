/** What has become of a print job, in the user's language, and from which label it can be printed again. */

import { text } from './language.js'

/** States that a job does not leave. */
const OVER = ['printed', 'sent', 'failed', 'cancelled', 'in_doubt']

/** States that need a person. */
const BAD = ['failed', 'in_doubt']

/** @typedef {import('./printers.js').Job} Job */

/** @param {Job} job */
export function isOver({ state }) {
  return OVER.includes(state)
}

/** Whether a person has to see to a job. @param {Job} job */
export function isBad({ state }) {
  return BAD.includes(state)
}

/**
 * Return what has become of a job: the labels that are printed for sure, and those that may be.
 *
 * @param {Job} job
 */
export function jobSays({ state, labels, labels_sure, labels_unsure }) {
  const values = { sure: labels_sure, labels, from: labels_sure + 1, to: labels_sure + labels_unsure }
  const inDoubt = () => text('job.in_doubt', { ...values, count: labels_unsure })
  const isPart = labels_sure + labels_unsure > 0
  if (state === 'in_doubt') return labels_unsure ? inDoubt() : text('job.broken', values)
  if (state === 'cancelled' && isPart) return labels_unsure ? inDoubt() : text('job.cancelled.part', values)
  return text(`job.${state}`, values)
}

/**
 * Return the label from which a job that is over is printed again: the first one that is not printed for sure; for one
 * that is whole, the first.
 *
 * @param {Job} job
 */
export function nextLabel({ labels, labels_sure }) {
  return labels_sure < labels ? labels_sure + 1 : 1
}
