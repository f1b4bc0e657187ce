/** The printer of a kiosk: its state in words, and the jobs that it has not brought to a good end. */

import { ask } from '../api.js'
import { JobWatch } from '../printers/job_watch.js'
import { noteJobs, noteJobsOfKiosk, settle, troublesOfKiosk } from '../printers/job_troubles.js'
import { codesOfJob, isBad, isOver } from '../printers/job_words.js'
import { cancel, jobNow, listJobs, listPrinters, orderFor, queue, resend } from '../printers/printers.js'
import { whileVisible } from '../while_visible.js'
import { element } from '../dom.js'
import { text } from '../language.js'
import { errorText } from '../failure.js'
import { printerSays } from '../printers/printer_choice.js'

/** Milliseconds between two looks at the printer. */
const EVERY = 2000

/** Jobs of the printer among which those of this kiosk are looked for. */
const LISTED = 50

/** @typedef {import('../printers/printers.js').Job} Job */
/** @typedef {import('../labels/printing.js').Order} Order */

export class KioskPrinter {
  #watch = new JobWatch('kiosk')
  #printer
  #told
  #signal
  /** Descriptions of products by their codes. @type {Map<string, string>} */
  #names = new Map()
  /** The state of the printer and its jobs at the last call of `changed`. */
  #known = ''

  /**
   * @param {import('../printers/printers.js').Printer} printer
   * @param {{failed: () => void, changed: () => void}} told `failed` is called when a job has failed or is in doubt, and
   *   `changed` when the printer or other jobs need a person, or other jobs wait for one
   * @param {AbortSignal} signal
   */
  constructor(printer, told, signal) {
    this.#printer = printer
    this.#told = told
    this.#signal = signal
    this.node = element('span', { class: 'printer-state', role: 'status' })
    /** Jobs of this kiosk that wait while the printer needs a person, the oldest first. @type {Job[]} */
    this.waiting = []
    this.#say(printerSays(printer), printer.state)
    whileVisible(() => this.#look(), signal, EVERY)
    void this.#look()
  }

  get name() {
    return this.#printer.name
  }

  get label() {
    return this.#printer.label
  }

  /** Return the jobs that need a person, the oldest first; this device keeps them, also when the page is loaded again. */
  get troubles() {
    return troublesOfKiosk(this.name)
  }

  /** Return what a person has to do before anything is printed, or an empty text. */
  get needs() {
    const { name, state } = this.#printer
    return text(`kiosk.needs.${state}`, { name }, '')
  }

  /** Whether all jobs have come to a good end, or a person has seen to them. */
  get isIdle() {
    return this.#watch.size === 0 && this.troubles.length === 0
  }

  /** Return an order for this printer. @param {Order} order */
  orderFor(order) {
    return orderFor(order, this.#printer)
  }

  /**
   * @param {Order} order
   * @param {string} key of the task: scanning a product again prints it again
   */
  async print(order, key) {
    this.#watch.follow(await queue(this.orderFor(order), key))
    void this.#look()
  }

  /**
   * Return the number of labels of a product that wait.
   *
   * @param {string} code
   */
  waitingOf(code) {
    return this.waiting.filter((job) => codesOfJob(job) === code).reduce((sum, { labels }) => sum + labels, 0)
  }

  /** Return the name of a job's product, or its code. @param {Job} job */
  productOf({ products }) {
    return products.map((code) => this.#names.get(code) ?? code).join(', ')
  }

  /** @param {Job} job */
  async cancel(job) {
    await cancel(job)
    await this.#look()
  }

  /**
   * Print the rest of a job.
   *
   * @param {Job} job
   * @param {number} from the first label
   */
  async again(job, from) {
    const rest = await resend(job, from)
    this.dismiss(job)
    this.#watch.follow(rest)
  }

  /** @param {Job} job that a person has seen to */
  dismiss(job) {
    settle(job)
    this.#tellChange()
  }

  async #look() {
    try {
      const printers = await listPrinters(this.#signal)
      this.#printer = printers.find(({ name }) => name === this.name) ?? this.#printer
      this.#say(printerSays(this.#printer), this.#printer.state)
      await this.#watch.look(
        (job) => jobNow(job, this.#signal),
        (job) => this.#tell(job),
      )
      const waits = this.needs !== '' && this.#watch.size > 0
      const jobs = waits || this.troubles.length ? await listJobs(this.name, LISTED, this.#signal) : []
      noteJobs(jobs.filter(({ resend_of }) => resend_of !== null)) // somebody else may have seen to a job
      this.waiting = waits ? jobs.filter((job) => this.#watch.has(job) && !isOver(job)).reverse() : []
      await this.#learnNames([...this.troubles, ...this.waiting])
      this.#tellChange()
    } catch (error) {
      if (!this.#signal.aborted) this.#say(errorText(error), 'not_reachable')
    }
  }

  /** @param {Job[]} jobs of which a person has to see to something */
  async #learnNames(jobs) {
    const codes = new Set(jobs.flatMap(({ products }) => products))
    for (const code of codes) {
      if (this.#names.has(code)) continue
      const query = { product_code: code }
      const [product] = await ask('GET', '/api/products', { query, signal: this.#signal }).catch(() => [])
      if (product) this.#names.set(code, product.description)
    }
  }

  #tellChange() {
    const now = JSON.stringify([this.needs, ...[this.waiting, this.troubles].map((jobs) => jobs.map(({ id }) => id))])
    if (now === this.#known) return
    this.#known = now
    this.#told.changed()
  }

  /** @param {Job} job that is over */
  #tell(job) {
    if (!isBad(job)) return
    noteJobsOfKiosk([job])
    this.#told.failed()
  }

  /**
   * @param {string} says
   * @param {string} state
   */
  #say(says, state) {
    this.node.dataset['state'] = state
    if (this.node.textContent !== says) this.node.textContent = says
  }
}
