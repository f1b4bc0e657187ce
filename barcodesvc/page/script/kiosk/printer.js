/**
 * What the printer of a kiosk needs of a person: what holds it up, and the jobs that it has not brought to a good end.
 *
 * Rule: one thing to do at a time. If only the paper tells how many labels of a job came out, a person has to say it. They
 * count those of this job, of which the first ones came out.
 */

import { ask } from '../api.js'
import { text } from '../language.js'
import { act, isOver, jobSays } from '../printers/list.js'
import { waitsUntil } from '../printers/state.js'
import { cancel, resend, settle } from '../printers/jobs.js'
import { wholeNumber } from '../formats.js'
import { Button, Field, html, useEffect, useRef, useRequest, useSignal } from '../ui.js'
import { Step } from '../step.js'

/** @import {Watch} from '../printers/watch.js' */
/** @import {Job} from '../types.js' */

/** What a person has to do before anything is printed, or an empty text. @param {Watch | null} watch */
export function needsOf(watch) {
  const printer = watch?.printer.value
  return printer && waitsUntil(printer.name, printer.state)
    ? text(`printer.${printer.state}`, { name: printer.name })
    : ''
}

/** What the printer needs, what it has broken off, and what waits for it. @param {{watch: Watch}} props */
export function Needs({ watch }) {
  const waiting = watch.jobs.value.filter((job) => !isOver(job)).reverse()
  const nameOf = useNames([...waiting, ...watch.unsettled.value])
  return html`
    <h1 class="problem"><bdi>${needsOf(watch)}</bdi></h1>
    ${watch.unsettled.value.map(
      (job) => html`<p key=${job.id} class="problem"><bdi>${nameOf(job)}: ${jobSays(job)}</bdi></p>`,
    )}
    <ul class="waiting">
      ${waiting.map(
        (job) => html`
          <li key=${job.id} class="row apart">
            <bdi>${nameOf(job)} · ${text('labels.sum', { count: job.labels })}</bdi>
            <${Button} onclick=${() => act(watch, cancel(job))}>${text('cancel')}<//>
          </li>`,
      )}
    </ul>
    <p>${text('kiosk.later')}</p>`
}

/** A job that has failed or is in doubt: what is known of it, and what can be done. @param {{watch: Watch, job: Job}} props */
export function Trouble({ watch, job }) {
  const { labels, labels_sure: sure, labels_unsure: unsure, printer } = job
  const typed = useSignal(unsure ? '' : String(sure)) // it is empty if only the paper tells it
  const problem = useSignal('')
  const field = useRef(/** @type {HTMLInputElement | null} */ (null))
  const product = useNames([job])(job)
  const isPart = labels > 1 && sure + unsure > 0
  useEffect(() => field.current?.focus(), [])

  const step = (/** @type {number} */ by) => () => {
    const count = wholeNumber(typed.peek())
    typed.value = String(count === null ? sure : Math.min(labels, Math.max(0, count + by)))
  }

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault()
    const count = isPart ? wholeNumber(typed.value) : 0
    if (count === labels) return act(watch, settle(job))
    if (count !== null && count < labels) return act(watch, resend(job, count + 1))
    problem.value = text('kiosk.came-out.wrong', { labels })
    return field.current?.focus()
  }

  return html`
    <form class="trouble" onsubmit=${submit}>
      <div role="alert">
        <h1><bdi>${isPart ? text('kiosk.how-many', { labels, product }) : `${product}: ${jobSays(job)}`}</bdi></h1>
        ${isPart && html`<p>${text('kiosk.broke-off', { name: printer, sure, most: sure + unsure })}</p>`}
      </div>
      ${
        isPart &&
        html`
        <div class="row missing">
          <${Step} label=${text('labels.fewer')} sign="−" step=${step(-1)} />
          <${Field} label=${text('kiosk.came-out')} value=${typed} field=${field} inputmode="numeric" autocomplete="off" />
          <${Step} label=${text('labels.more')} sign="+" step=${step(1)} />
        </div>`
      }
      <p class="problem" role="alert">${problem}</p>
      <div class="row">
        <button class="main">${text(isPart ? 'kiosk.rest' : 'prints.again')}</button>
        <${Button} onclick=${() => act(watch, settle(job))}>${text('prints.not-needed')}<//>
      </div>
    </form>`
}

/** Return a function that names the products of a job, by their codes until the service has answered. @param {Job[]} jobs */
function useNames(jobs) {
  const codes = [...new Set(jobs.flatMap(({ products }) => products))]
  const load = (/** @type {AbortSignal} */ signal) =>
    Promise.all(codes.map((code) => ask('GET', '/api/products', { query: { product_code: code }, signal })))
  const { data } = useRequest(load, [codes.join()])
  const names = new Map(data?.flat().map(({ product_code, description }) => [product_code, description]))
  return (/** @type {Job} */ { products }) => products.map((code) => names.get(code) ?? code).join(', ')
}
