/**
 * The last jobs of the chosen printer, the newest first: what has become of each, and what prints it again.
 *
 * Rule: a job that needs a person is listed until one has seen to it, however many have followed. Labels are counted as on
 * paper: as in the first request, of which a job may be the rest.
 */

import { moment, wholeNumber } from '../formats.js'
import { capacity, firstFree, giveBack, sheetNamed, takePlace } from '../labels/sheets.js'
import { text } from '../language.js'
import { announce, expire } from '../in_front.js'
import { bad } from '../sounds.js'
import { Button, Field, html, Icon, useRef, useSignal, useSignalEffect } from '../ui.js'
import { cancel, resend, settle, whyNotQueued } from './jobs.js'
import { waitsUntil } from './state.js'

/** @import {Job, Place, Sheet} from '../types.js' */
/** @import {Watch} from './watch.js' */

/** States that a job does not leave, and those of them in which all its labels are sent. */
const OVER = ['printed', 'sent', 'failed', 'cancelled', 'in_doubt']
const WHOLE = ['printed', 'sent']

/** @param {Job} job */
export function isOver({ state }) {
  return OVER.includes(state)
}

/** Whether only some labels of a job that is over are printed, or may be. @param {Job} job */
function isInPart(job) {
  return isOver(job) && job.labels_sure + job.labels_unsure > 0 && job.labels_sure < job.labels
}

/** Return the numbers that the labels of a job have on paper: the first, the last, and the first that may be missing. @param {Job} job */
export function paperNumbers({ from_label: first, labels, labels_sure: sure }) {
  return { first, last: first - 1 + labels, next: sure < labels ? first + sure : first }
}

/** Return what has become of a job: the labels that are printed for sure, and those that may be. `printer` is the state of its printer, if it is known. @type {(job: Job, printer?: string) => string} */
export function jobSays(job, printer = '') {
  const { printer: name, state, labels, labels_sure: sure, labels_unsure: count, from_label: first } = job
  const what = text(state === 'cancelled' ? 'job.stopped' : 'job.interrupted')
  const doubt = { what, sure, labels, count, from: first + sure, to: first - 1 + sure + count }
  if (!isOver(job)) {
    const until = waitsUntil(name, printer)
    const progress = sure ? text('job.progress', { sure, labels }) : until ? '' : text(`job.${state}`)
    if (job.isCancelling) return text('job.cancelling', { name })
    return [progress, until && text('job.waits', { until })].filter(Boolean).join(', ')
  }
  if (state === 'in_doubt') return text(count ? 'job.in_doubt' : 'job.broken', doubt)
  if (state === 'cancelled' && count) return text('job.in_doubt', doubt)
  if (state === 'cancelled' && sure)
    return text('job.cancelled.part', { sure: first - 1 + sure, labels: first - 1 + labels })
  return [text(`job.${state}`), state === 'failed' && job.message].filter(Boolean).join(': ')
}

/** @param {{watch: Watch, sheets: Sheet[]}} props */
export function JobList({ watch, sheets }) {
  const { jobs, unsettled, broken, printer } = watch
  useSignalEffect(() => void (broken.value.length && bad()))
  useSignalEffect(() => {
    for (const { id, state, labels_sure: sure, labels_unsure: unsure } of jobs.value.filter(isOver)) {
      const place = watch.places.get(id)
      if (place && !WHOLE.includes(state)) giveBack(place, sure + unsure)
      watch.places.delete(id)
    }
  })
  const last = jobs.value.slice(0, 5)
  const older = unsettled.value.filter((job) => !last.some(({ id }) => id === job.id))
  const shown = [...last, ...older]
  if (!printer.value || !shown.length) return null
  return html`
    <section class="card last-prints">
      <h2>${text('prints.of', { name: printer.value.name })}</h2>
      <ul>
        ${shown.map((job) => html`<${JobRow} key=${job.id} job=${job} watch=${watch} sheets=${sheets} />`)}
      </ul>
    </section>`
}

/** A job, what has become of it, and what can be done about it. @param {{job: Job, watch: Watch, sheets: Sheet[]}} props */
function JobRow({ job, watch, sheets }) {
  const isCancelled = useSignal(false)
  const { jobs, unsettled, printer } = watch
  const isCancelling = !isOver(job) && isCancelled.value
  const needs = unsettled.value.some(({ id }) => id === job.id)
  const { first, last } = paperNumbers(job)
  /** The job that prints the rest of it. */
  const rest = job.labels_sure < job.labels && jobs.value.find(({ resend_of }) => resend_of === job.id)
  const says = rest
    ? text('job.resent', { from: last + 1 - rest.labels })
    : jobSays({ ...job, isCancelling }, printer.value?.state)
  const count = text('labels.sum', { count: job.labels })

  async function cancelJob() {
    isCancelled.value = (await cancel(job)).state === 'sending'
  }

  /** Print on from a label; on a sheet, on the first free one. @param {number} from */
  async function resendJob(from) {
    const sheet = sheetNamed(sheets, printer.value?.label ?? '')
    const free = sheet && capacity(sheet) > 1 ? firstFree(sheet) : null
    const next = await resend(job, from, free)
    const place = sheet && { sheet, first: free ?? 1, count: next.labels }
    if (place) takePlace(place)
    follow(watch, next, place)
  }

  return html`
    <li class="list-row ${isInPart(job) ? 'in-part' : ''}">
      <${Icon} name=${needs ? 'bad' : WHOLE.includes(job.state) ? 'good' : isOver(job) ? 'print' : 'waiting'} />
      <div>
        <div>
          <bdi>${job.products.join(', ')}</bdi> · ${count}${first > 1 && ` (${text('prints.rest', { from: first, to: last })})`}
        </div>
        <div class="second ${needs ? 'problem' : ''}">${moment(job.created_at)} · ${says}</div>
      </div>
      ${
        !isCancelling &&
        !rest &&
        html`
        <div class="row">
          ${
            isOver(job)
              ? html`<${Again} job=${job} again=${(/** @type {number} */ from) => act(watch, resendJob(from))} />`
              : html`<${Button} onclick=${() => act(watch, cancelJob())}>${text('cancel')}<//>`
          }
          ${needs && html`<${Button} kind="text" onclick=${() => act(watch, settle(job))}>${text('prints.not-needed')}<//>`}
        </div>`
      }
    </li>`
}

/** Say why something about a job has failed, and look what is known of it now. @type {(watch: Watch, action: Promise<unknown>) => Promise<void>} */
export async function act(watch, action) {
  await action.then(expire, (error) => announce(whyNotQueued(error, ''), 'bad'))
  await watch.look()
}

/** Prints a job again; if it is printed in part, with the label from which it does. @param {{job: Job, again: (from: number) => void}} props */
function Again({ job, again }) {
  const { first, last, next } = paperNumbers(job)
  const typed = useSignal(String(next))
  const isWrong = useSignal(false)
  const field = useRef(/** @type {HTMLInputElement | null} */ (null))
  if (!isInPart(job)) return html`<${Button} onclick=${() => again(1)}>${text('prints.again')}<//>`

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault()
    const label = wholeNumber(typed.value)
    isWrong.value = !label || label < first || label > last
    if (isWrong.value) field.current?.focus()
    else again(Number(label) - first + 1)
  }

  return html`
    <form class="row" onsubmit=${submit}>
      <${Field} field=${field} label=${text('prints.from')} value=${typed} inputmode="numeric" autocomplete="off"
        problem=${isWrong.value ? text('prints.number.wrong', { from: first, to: last }) : ''} />
      <button>${text('prints.again')}</button>
    </form>`
}

/** Return what labels for the chosen printer wait for, or nothing if it prints. @param {Watch} watch */
export function waitsFor({ printer }) {
  return printer.value ? waitsUntil(printer.value.name, printer.value.state) : ''
}

/** Say that a job is on its way, or what it waits for; and remember its labels on a sheet. @type {(watch: Watch, job: Job, place: Place | null) => void} */
export function follow(watch, job, place) {
  const until = waitsFor(watch)
  const says = text(until ? 'job.queued.waits' : 'job.queued', { count: job.labels, name: job.printer, until })
  if (place) watch.places.set(job.id, place)
  announce(says, until ? 'wait' : 'good')
  void watch.look()
}
