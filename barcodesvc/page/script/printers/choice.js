/**
 * The printer that is chosen, or this device; its state, its last jobs, and those that need a person.
 *
 * Rule: the service asks printers for their states only while one is chosen here and the page is looked at. It also knows
 * who has seen to a job, so all devices show the same ones.
 */

import { text } from '../language.js'
import { change } from '../settings.js'
import { batch, computed, errorText, html, Select, signal } from '../ui.js'
import { whileVisible } from '../while_visible.js'
import { printerSays } from './job_words.js'
import { listJobs, listPrinters } from './jobs.js'

/** Milliseconds between two looks at the printer. */
const EVERY = 2000

/** Jobs that are asked for: the last ones, and those that need a person. */
const LISTED = 20
const UNSETTLED = 50

/** The value of the choice for this device. */
const HERE = ''

/** @typedef {import('../types.js').Printer} Printer */
/** @typedef {import('../types.js').Job} Job */
/** @typedef {{sheet: string, first?: number}} Place where a job begins */
/** @typedef {ReturnType<typeof watchPrinter>} Watch */

/**
 * Look at the chosen printer every two seconds until `ended` aborts.
 *
 * @param {Printer[]} listed the printers of the service
 * @param {string} first name of the chosen one; empty for this device
 * @param {AbortSignal} ended
 */
export function watchPrinter(listed, first, ended) {
  const printers = signal(listed)
  const chosen = signal(first)
  const printer = computed(() => printers.value.find((each) => each.name === chosen.value) ?? null)
  const jobs = signal(/** @type {Job[]} */ ([]))
  const unsettled = signal(/** @type {Job[]} */ ([]))
  /** Jobs that have begun to need a person since the look before. */
  const broken = signal(/** @type {Job[]} */ ([]))
  const problem = signal('')
  /** Where the jobs of this view begin on their sheets, and what was said of them. @type {Map<number, Place>} */
  const places = new Map()
  /** @type {Map<number, {remove: () => void}>} */
  const said = new Map()
  /** The jobs that needed a person at the last look; null before the first one. @type {Set<number> | null} */
  let known = null
  let turn = 0

  /** Look now; what an earlier look finds later is out of date. */
  async function look() {
    const name = printer.peek()?.name
    const mine = ++turn
    if (!name) return
    try {
      const found = await Promise.all([
        listPrinters(ended),
        listJobs(name, { limit: LISTED }, ended),
        listJobs(name, { limit: UNSETTLED, unsettled: 'true' }, ended),
      ])
      if (mine === turn) see(...found)
    } catch (error) {
      if (mine === turn && !ended.aborted) problem.value = errorText(error)
    }
  }

  /** @type {(nowPrinters: Printer[], nowJobs: Job[], nowUnsettled: Job[]) => void} */
  function see(nowPrinters, nowJobs, nowUnsettled) {
    batch(() => {
      problem.value = ''
      printers.value = nowPrinters
      jobs.value = nowJobs
      unsettled.value = nowUnsettled
      broken.value = nowUnsettled.filter(({ id }) => known && !known.has(id))
    })
    known = new Set(nowUnsettled.map(({ id }) => id))
  }

  /** @param {string} name */
  function choose(name) {
    known = null
    batch(() => {
      chosen.value = name
      jobs.value = unsettled.value = broken.value = []
      problem.value = ''
    })
    void look()
  }

  whileVisible(look, ended, EVERY)
  void look()
  return { printers, printer, jobs, unsettled, broken, problem, places, said, look, choose }
}

/** Where labels are printed. @param {{watch: Watch}} props */
export function PrinterChoice({ watch: { printers, printer, choose } }) {
  if (!printers.value.length) return null
  const options = [[HERE, text('printer.here')], ...printers.value.map(({ name }) => [name, name])]
  const changed = (/** @type {string} */ name) => (change({ printer: name }), choose(name))
  return html`
    <${Select} label=${text('printer')} value=${printer.value?.name ?? HERE} options=${options} changed=${changed} />`
}

/** The state of the printer in words, and whether its jobs need a person. @param {{watch: Watch}} props */
export function PrinterState({ watch: { printer, unsettled, problem } }) {
  const { state = '' } = printer.value ?? {}
  const count = unsettled.value.length
  const says = problem.value || (printer.value ? printerSays(printer.value) : '')
  return html`
    <p class="printer-state" role="status" data-state=${problem.value ? 'not_reachable' : state} hidden=${!says}>
      ${says} ${count > 0 && html`<span class="problem">${text('printer.unsettled', { count })}</span>`}
    </p>`
}
