/** What has become of a print job, in the user's language, and from which label it can be printed again. */

import { text } from '../language.js'

/** States that a job does not leave. */
const OVER = ['printed', 'sent', 'failed', 'cancelled', 'in_doubt']

/** @typedef {import('../types.js').Job} Job */

/** @param {Job} job */
export function isOver({ state }) {
  return OVER.includes(state)
}

/** Whether a job that is over has sent all its labels. @param {Job} job */
export function isWhole({ state }) {
  return state === 'printed' || state === 'sent'
}

/** Whether only some labels of a job that is over are printed, or may be. @param {Job} job */
export function isInPart(job) {
  return isOver(job) && job.labels_sure + job.labels_unsure > 0 && job.labels_sure < job.labels
}

/** Return a label of a job, from 1, as it is counted on paper: as in the first request, of which this job may be a rest. @type {(job: Job, label: number) => number} */
export function onPaper({ from_label }, label) {
  return from_label - 1 + label
}

/**
 * Return the numbers that the labels of a job have on paper: the first, the last, and the first that may be missing; for a
 * job that is whole, that is the first.
 *
 * @param {Job} job
 */
export function paperNumbers(job) {
  const { labels, labels_sure: sure } = job
  return { first: onPaper(job, 1), last: onPaper(job, labels), next: onPaper(job, sure < labels ? sure + 1 : 1) }
}

/** Return the state of a printer, and how many jobs wait for it. @param {import('../types.js').Printer} printer */
export function printerSays({ name, state, jobs_waiting: count }) {
  const says = text(`printer.${state}`, { name })
  return count ? `${says} ${text('printer.waiting', { count })}` : says
}

/** Return what a job waits for if a printer of this name does not print in its state, else nothing. @type {(name: string, state: string) => string} */
export function waitsUntil(name, state) {
  return text(`job.until.${state}`, { name }, '')
}

/**
 * Return what has become of a job: the labels that are printed for sure, and those that may be. `printer` is the state of
 * its printer, if it is known.
 *
 * @type {(job: Job, printer?: string) => string}
 */
export function jobSays(job, printer = '') {
  if (!isOver(job)) return underWay(job, printer)
  const { state, labels, labels_sure: sure, labels_unsure: count } = job
  const doubt = { sure, labels, count, from: onPaper(job, sure + 1), to: onPaper(job, sure + count) }
  const isCancelled = state === 'cancelled'
  if (isCancelled && count) return text('job.cancelled.doubt', doubt)
  if (isCancelled && sure) return text('job.cancelled.part', { sure: onPaper(job, sure), labels: onPaper(job, labels) })
  if (state === 'in_doubt') return count ? text('job.in_doubt', doubt) : text('job.broken', doubt)
  const why = state === 'failed' ? job.message : ''
  return [text(`job.${state}`), why].filter(Boolean).join(': ')
}

/** Return the same of a job that is not over. @type {(job: Job, printer: string) => string} */
function underWay(job, printer) {
  const { printer: name, state, labels, labels_sure: sure } = job
  const until = waitsUntil(name, printer)
  const progress = text('job.progress', { sure, labels })
  if (job.isCancelling) return text('job.cancelling', { name })
  if (until) return [sure ? progress : '', text('job.waits', { until })].filter(Boolean).join(', ')
  return sure ? progress : text(`job.${state}`)
}
