/** The printer of a kiosk: its state in words, and the jobs that it has not brought to a good end. */

import { JobWatch } from '../job_watch.js'
import { isBad } from '../job_words.js'
import { beginTask, jobNow, listPrinters, orderFor, queue, resend } from '../printers.js'
import { nameJob, nameOf } from '../job_names.js'
import { whileVisible } from '../while_visible.js'
import { element } from '../dom.js'
import { errorText } from './failure.js'
import { printerSays } from './printer_choice.js'

/** Milliseconds between two looks at the printer. */
const EVERY = 2000

/** @typedef {import('../printers.js').Job} Job */
/** @typedef {import('../printing.js').Order} Order */

export class KioskPrinter {
  #watch = new JobWatch('kiosk')
  #printer
  #changed
  #signal

  /**
   * @param {import('../printers.js').Printer} printer
   * @param {() => void} changed called when a job has failed or is in doubt
   * @param {AbortSignal} signal
   */
  constructor(printer, changed, signal) {
    this.#printer = printer
    this.#changed = changed
    this.#signal = signal
    this.node = element('span', { class: 'printer-state', role: 'status' })
    /** Jobs that need a person, the oldest first. @type {Job[]} */
    this.troubles = []
    this.#say(printerSays(printer), printer.state)
    whileVisible(() => this.#look(), signal, EVERY)
  }

  get name() {
    return this.#printer.name
  }

  get label() {
    return this.#printer.label
  }

  /** Whether all jobs have come to a good end, or a person has seen to them. */
  get isIdle() {
    return this.#watch.size === 0 && this.troubles.length === 0
  }

  /** Return an order for this printer. @param {Order} order */
  orderFor(order) {
    return orderFor(order, this.#printer)
  }

  /** Begin a task: scanning a product again prints it again. */
  begin() {
    beginTask()
  }

  /** @param {Order} order */
  async print(order) {
    this.#watch.follow(await queue(this.orderFor(order)))
    void this.#look()
  }

  /**
   * Print the rest of a job.
   *
   * @param {Job} job
   * @param {number} from the first label
   */
  async again(job, from) {
    const rest = await resend(job, from)
    nameJob(rest, nameOf(job))
    this.dismiss(job)
    this.#watch.follow(rest)
  }

  /** @param {Job} job that a person has seen to */
  dismiss({ id }) {
    this.troubles = this.troubles.filter((job) => job.id !== id)
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
    } catch (error) {
      if (!this.#signal.aborted) this.#say(errorText(error), 'not_reachable')
    }
  }

  /** @param {Job} job that is over */
  #tell(job) {
    if (!isBad(job)) return
    this.troubles.push(job)
    this.#changed()
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
