/** Where labels are printed, what was printed there last, and what becomes of the jobs of this view. */

import { firstFree, keepFirstFree, nextFree } from '../labels/free_labels.js'
import { JobWatch } from './job_watch.js'
import { noteJobs, settle, troublesOf } from './job_troubles.js'
import { codesOfJob, isBad, isOver, isWhole, jobSays, onPaper, waitsUntil } from './job_words.js'
import { text } from '../language.js'
import { announceError, notice } from '../notices.js'
import { cancel, jobNow, resend, whyNotQueued } from './printers.js'
import { capacity, sheetNamed } from '../labels/sheets.js'
import { bad } from '../sounds.js'
import { whileVisible } from '../while_visible.js'
import { lastPrints } from './last_prints.js'
import { PrinterChoice } from './printer_choice.js'

/** @typedef {import('../labels/printing.js').Order} Order */
/** @typedef {import('./printers.js').Job} Job */

/** Milliseconds between two looks at the jobs of this view. */
const EVERY = 2000

/** Jobs that are shown in addition to those that need a person. */
const SHOWN = 5

export class Prints {
  #watch = new JobWatch('labels')
  #sheets
  #told
  #choice
  #last
  /** The jobs that the service has listed, the newest first. @type {Job[]} */
  #jobs = []
  /** Jobs that were cancelled here while they were printed. @type {Set<number>} */
  #cancelled = new Set()
  /** Where the jobs of this view begin on their sheets. @type {Map<number, {sheet: string, first?: number}>} */
  #places = new Map()
  /** What was said of each job, as long as it may be shown. @type {Map<number, HTMLElement>} */
  #notices = new Map()

  /**
   * @param {{printers: import('./printers.js').Printer[], sheets: import('../labels/sheets.js').Sheet[]}} known what the service has
   * @param {{changed: () => void, looked: () => void, again: (order: Order) => void}} told `changed` is called when another
   *   printer or free label is chosen, `looked` when the state of the printer is known, and `again` with an order to print
   *   again on this device
   * @param {AbortSignal} signal
   */
  constructor({ printers, sheets }, told, signal) {
    this.#sheets = sheets
    this.#told = told
    this.#last = lastPrints(told.again, {
      resend: (job, from) => void this.#act(job, () => this.#resend(job, from)),
      cancel: (job) => void this.#act(job, () => this.#cancel(job)),
      settle: (job) => this.#settle(job),
    })
    this.#choice = new PrinterChoice(printers, { changed: told.changed, seen: (jobs) => this.#see(jobs) }, signal)
    this.choice = this.#choice.node
    this.state = this.#choice.state
    this.list = this.#last.node
    const look = () =>
      this.#watch.look(
        (job) => jobNow(job, signal),
        (job) => this.#tell(job),
      )
    whileVisible(look, signal, EVERY)
    void look().catch(() => undefined) // the network is gone: the next one follows
  }

  /** Return the chosen printer, or null for this device. */
  printer() {
    return this.#choice.chosen()
  }

  /** Return what labels for the chosen printer wait for, or nothing if it prints. */
  waitsUntil() {
    const printer = this.printer()
    return printer ? waitsUntil(printer.name, printer.state) : ''
  }

  /** Show what was printed last; the jobs of a printer follow when the service has listed them. */
  show() {
    const printer = this.printer()
    if (printer) this.#last.showPrinter(printer.name)
    else this.#last.showOrders()
  }

  /**
   * Say that a job is on its way, or what it waits for, and what becomes of it.
   *
   * @param {Job} job
   * @param {{sheet: string, first?: number}} place where it begins
   */
  follow = (job, place) => {
    this.#places.set(job.id, place)
    this.#watch.follow(job)
    const until = this.waitsUntil()
    const says = text(until ? 'job.queued.waits' : 'job.queued', { count: job.labels, name: job.printer, until })
    this.#notices.set(job.id, notice(says, until ? 'wait' : 'good'))
    void this.#choice.look()
  }

  /** @param {Job[]} jobs the last ones of the chosen printer */
  #see(jobs) {
    this.#jobs = jobs
    noteJobs(jobs)
    this.#list()
    this.#told.looked()
  }

  #list() {
    const printer = this.printer()
    if (!printer) return
    const troubles = troublesOf(printer.name)
    const last = this.#jobs.slice(0, SHOWN)
    const older = troubles.filter((job) => !last.some(({ id }) => id === job.id))
    const shown = [...last, ...older].map((job) => this.#shown(job, printer.state, troubles))
    this.#last.showJobs(shown)
  }

  /**
   * @param {Job} listed
   * @param {string} state of the printer
   * @param {Job[]} troubles
   * @returns {import('./job_row.js').Shown}
   */
  #shown(listed, state, troubles) {
    const job = { ...listed, isCancelling: !isOver(listed) && this.#cancelled.has(listed.id) }
    const rest = this.#jobs.find(({ resend_of }) => resend_of === job.id) ?? null
    const needs = troubles.some(({ id }) => id === job.id)
    const isPart = rest !== null && job.labels_sure < job.labels
    const says = isPart ? text('job.resent', { from: onPaper(job, job.labels - rest.labels + 1) }) : jobSays(job, state)
    return { job, says, needs, rest }
  }

  /** @param {Job} job that is over */
  #tell(job) {
    this.#giveBack(job)
    if (!isBad(job)) return
    noteJobs([job])
    void this.#choice.look()
    bad()
    this.#silence(job)
    this.#notices.set(job.id, notice([codesOfJob(job), jobSays(job)].filter(Boolean).join(': '), 'bad'))
  }

  /**
   * Give the labels of a sheet back that a job has not used, unless another print has begun after it.
   *
   * @param {Job} job that is over
   */
  #giveBack(job) {
    const { id, labels, labels_sure, labels_unsure } = job
    const { sheet: name = '', first = 1 } = this.#places.get(id) ?? {}
    const sheet = sheetNamed(this.#sheets, name)
    if (!sheet || isWhole(job) || firstFree(sheet) !== nextFree(sheet, first, labels)) return
    keepFirstFree(sheet, nextFree(sheet, first, labels_sure + labels_unsure))
    this.#told.changed()
  }

  /** @param {Job} job of which a person has seen what was said */
  #silence({ id }) {
    this.#notices.get(id)?.remove()
    this.#notices.delete(id)
  }

  /** @param {Job} job */
  #settle(job) {
    settle(job)
    this.#silence(job)
    this.#list()
  }

  /**
   * @param {Job} job
   * @param {() => Promise<void>} action
   */
  async #act(job, action) {
    try {
      await action()
      this.#silence(job)
    } catch (error) {
      announceError(whyNotQueued(error, ''), this.list)
    }
  }

  /** @param {Job} job */
  async #cancel(job) {
    const { state } = await cancel(job)
    if (state === 'sending') this.#cancelled.add(job.id)
    this.#list()
    void this.#choice.look()
  }

  /**
   * Print a job again from one of its labels on; on a sheet, on the first free label.
   *
   * @param {Job} job
   * @param {number} from
   */
  async #resend(job, from) {
    const name = this.printer()?.label ?? ''
    const sheet = sheetNamed(this.#sheets, name)
    const first = sheet && capacity(sheet) > 1 ? firstFree(sheet) : null
    const rest = await resend(job, from, first)
    if (sheet && first) keepFirstFree(sheet, nextFree(sheet, first, rest.labels))
    settle(job)
    this.follow(rest, { sheet: name, first: first ?? 1 })
    this.#told.changed()
  }
}
