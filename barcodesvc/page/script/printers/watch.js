/**
 * The printer that is chosen, if any: its state, its last jobs, and those that need a person.
 *
 * Rule: the service asks printers for their states only while one is chosen here and the page is looked at. It also knows
 * who has seen to a job, so all devices show the same ones.
 */

import { text } from '../language.js'
import { batch, computed, errorText, html, signal } from '../ui.js'
import { whileVisible } from '../while_visible.js'
import { listJobs, listPrinters } from './jobs.js'
import { printerSays } from './state.js'

/** @import {Job, Place, Printer} from '../types.js' */

/** Milliseconds between two looks; and how many jobs are asked for: the last ones, and those that need a person. */
const EVERY = 2000
const LISTED = 20
const UNSETTLED = 50

/** @typedef {ReturnType<typeof watchPrinter>} Watch */

/** Look at a printer until `ended` aborts: at the one that is called `first`, then at the one that is chosen. An empty name is that of this device. @param {Printer[]} listed @param {string} first @param {AbortSignal} ended */
export function watchPrinter(listed, first, ended) {
  const printers = signal(listed)
  const chosen = signal(first)
  const printer = computed(() => printers.value.find(({ name }) => name === chosen.value) ?? null)
  const jobs = signal(/** @type {Job[]} */ ([]))
  const unsettled = signal(/** @type {Job[]} */ ([]))
  /** Jobs that have begun to need a person since the look before. */
  const broken = signal(/** @type {Job[]} */ ([]))
  const problem = signal('')
  /** What the jobs of this view take of their sheets. @type {Map<number, Place>} */
  const places = new Map()
  /** The jobs that needed a person at the last look; null before the first one. @type {Set<number> | null} */
  let known = null
  let turn = 0

  /** Look now; what an earlier look finds later is out of date. */
  async function look() {
    const name = printer.peek()?.name
    const mine = ++turn
    if (!name) return
    try {
      const [nowPrinters, nowJobs, nowUnsettled] = await Promise.all([
        listPrinters(ended),
        listJobs(name, { limit: LISTED }, ended),
        listJobs(name, { limit: UNSETTLED, unsettled: 'true' }, ended),
      ])
      if (mine !== turn) return
      batch(() => {
        problem.value = ''
        printers.value = nowPrinters
        jobs.value = nowJobs
        unsettled.value = nowUnsettled
        broken.value = nowUnsettled.filter(({ id }) => known && !known.has(id))
      })
      known = new Set(nowUnsettled.map(({ id }) => id))
    } catch (error) {
      if (mine === turn && !ended.aborted) problem.value = errorText(error)
    }
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
  return { printers, printer, jobs, unsettled, broken, problem, places, look, choose }
}

/** The state of the printer in words, and whether its jobs need a person. @param {{watch: Watch}} props */
export function PrinterState({ watch: { printer, unsettled, problem } }) {
  const count = unsettled.value.length
  const says = problem.value || (printer.value ? printerSays(printer.value) : '')
  return html`
    <p class="printer-state" role="status" hidden=${!says}
      data-state=${problem.value ? 'not_reachable' : printer.value?.state}>
      ${says} ${count > 0 && html`<span class="problem">${text('printer.unsettled', { count })}</span>`}
    </p>`
}
