/**
 * What was printed last, the newest first, each with what prints it again: on this device, or the jobs of a printer with what
 * has become of them.
 *
 * Rule: a job that needs a person is listed until one has seen to it, however many have followed.
 */

import { moment, wholeNumber } from '../formats.js'
import { codesOf, countOf, lastOrders } from '../labels/orders.js'
import { capacity, firstFree, keepFirstFree, nextFree, sheetNamed } from '../labels/sheets.js'
import { text } from '../language.js'
import { announceError, notice } from '../in_front.js'
import { bad } from '../sounds.js'
import { Button, Field, html, Icon, useRef, useSignal, useSignalEffect } from '../ui.js'
import { isInPart, isOver, isWhole, jobSays, onPaper, paperNumbers, waitsUntil } from './job_words.js'
import { cancel, resend, settle, whyNotQueued } from './jobs.js'

/** Jobs that are shown in addition to those that need a person. */
const SHOWN = 5

/** @typedef {import('../types.js').Job} Job */
/** @typedef {import('../types.js').Order} Order */
/** @typedef {import('../types.js').Sheet} Sheet */
/** @typedef {import('./choice.js').Watch} Watch */

/** What was printed last: on this device, or on the chosen printer. @param {{watch: Watch, again: (order: Order) => void, sheets: Sheet[]}} props */
export function LastPrints({ watch, again, sheets }) {
  return watch.printer.value
    ? html`<${JobList} watch=${watch} sheets=${sheets} />`
    : html`<${OrderList} again=${again} />`
}

/** What was printed on this device. @param {{again: (order: Order) => void}} props */
function OrderList({ again }) {
  const orders = lastOrders()
  if (!orders.length) return null
  return html`
    <section class="card last-prints">
      <h2>${text('prints.title')}</h2>
      <ul>
        ${orders.map(
          ({ order, at }) => html`
            <li key=${at} class="list-row">
              <${Icon} name="print" />
              <div>
                <div><bdi>${codesOf(order)}</bdi> · ${text('labels.sum', { count: countOf(order) })}</div>
                <div class="second">${[moment(at), order.sheet].filter(Boolean).join(' · ')}</div>
              </div>
              <${Button} onclick=${() => again(order)}>${text('prints.again')}<//>
            </li>`,
        )}
      </ul>
    </section>`
}

/** The jobs of the chosen printer. @param {{watch: Watch, sheets: Sheet[]}} props */
function JobList({ watch, sheets }) {
  const { jobs, unsettled, broken, printer } = watch
  useSignalEffect(() => broken.value.forEach((job) => sayBroken(watch, job)))
  useSignalEffect(() => jobs.value.forEach((job) => giveBack(watch, job, sheets)))
  const last = jobs.value.slice(0, SHOWN)
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
  const node = useRef(document.body)
  const isCancelled = useSignal(false)
  const { jobs, unsettled, printer } = watch
  const isCancelling = !isOver(job) && isCancelled.value
  const needs = unsettled.value.some(({ id }) => id === job.id)
  /** The job that prints it again. */
  const rest = jobs.value.find(({ resend_of }) => resend_of === job.id)
  const isPart = rest !== undefined && job.labels_sure < job.labels
  const says = isPart
    ? text('job.resent', { from: onPaper(job, job.labels - rest.labels + 1) })
    : jobSays({ ...job, isCancelling }, printer.value?.state)

  /** @param {() => Promise<unknown>} action */
  async function act(action) {
    try {
      await action()
      silence(watch, job)
    } catch (error) {
      announceError(whyNotQueued(error, ''), node.current)
    }
    void watch.look()
  }

  async function cancelJob() {
    isCancelled.value = (await cancel(job)).state === 'sending'
  }

  /** Print on from a label; on a sheet, on the first free one. @param {number} from */
  async function resendJob(from) {
    const sheet = sheetNamed(sheets, watch.printer.value?.label ?? '')
    const first = sheet && capacity(sheet) > 1 ? firstFree(sheet) : null
    const next = await resend(job, from, first)
    if (sheet && first) keepFirstFree(sheet, nextFree(sheet, first, next.labels))
    follow(watch, next, { sheet: sheet?.sheet ?? '', first: first ?? 1 })
  }

  return html`
    <li class="list-row ${isInPart(job) ? 'in-part' : ''}" ref=${node}>
      <${Icon} name=${needs ? 'bad' : isWhole(job) ? 'good' : isOver(job) ? 'print' : 'waiting'} />
      <div>
        <div><bdi>${job.products.join(', ')}</bdi> · ${labelsOf(job)}</div>
        <div class="second ${needs ? 'problem' : ''}">${moment(job.created_at)} · ${says}</div>
      </div>
      ${
        !isCancelling &&
        !isPart &&
        html`
        <div class="row">
          ${!isOver(job) && html`<${Button} onclick=${() => act(cancelJob)}>${text('cancel')}<//>`}
          ${isOver(job) && html`<${Again} job=${job} again=${(/** @type {number} */ from) => act(() => resendJob(from))} />`}
          ${needs && html`<${Button} kind="text" onclick=${() => act(() => settle(job))}>${text('prints.not-needed')}<//>`}
        </div>`
      }
    </li>`
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

/** Return how many labels a job has, or which ones of the first request. @param {Job} job */
function labelsOf(job) {
  const count = text('labels.sum', { count: job.labels })
  const { first, last } = paperNumbers(job)
  return first === 1 ? count : `${count} (${text('prints.rest', { from: first, to: last })})`
}

/** Return what labels for the chosen printer wait for, or nothing if it prints. @param {Watch} watch */
export function waitsFor({ printer }) {
  return printer.value ? waitsUntil(printer.value.name, printer.value.state) : ''
}

/**
 * Say that a job is on its way, or what it waits for; when it is over, its sheet gets back the labels that it has not used.
 *
 * @type {(watch: Watch, job: Job, place: import('./choice.js').Place) => void}
 */
export function follow(watch, job, place) {
  const until = waitsFor(watch)
  const says = text(until ? 'job.queued.waits' : 'job.queued', { count: job.labels, name: job.printer, until })
  watch.places.set(job.id, place)
  watch.said.set(job.id, notice(says, until ? 'wait' : 'good'))
  void watch.look()
}

/** @type {(watch: Watch, job: Job) => void} */
function sayBroken(watch, job) {
  bad()
  silence(watch, job)
  watch.said.set(job.id, notice([job.products.join(', '), jobSays(job)].filter(Boolean).join(': '), 'bad'))
}

/** Remove what was said of a job that a person has seen to. @type {(watch: Watch, job: Job) => void} */
function silence({ said }, { id }) {
  said.get(id)?.remove()
  said.delete(id)
}

/**
 * Give the labels of a sheet back that a job has not used, unless another print has begun after it.
 *
 * @type {(watch: Watch, job: Job, sheets: Sheet[]) => void}
 */
function giveBack({ places }, job, sheets) {
  const { id, labels, labels_sure, labels_unsure } = job
  const { sheet: name = '', first = 1 } = (isOver(job) && places.get(id)) || {}
  const sheet = sheetNamed(sheets, name)
  if (!sheet) return
  places.delete(id)
  if (isWhole(job) || firstFree(sheet) !== nextFree(sheet, first, labels)) return
  keepFirstFree(sheet, nextFree(sheet, first, labels_sure + labels_unsure))
}
