/** The printer of a kiosk: what it needs of a person, and the jobs that it has not brought to a good end. */

import { ask } from '../api.js'
import { watchPrinter } from '../printers/choice.js'
import { isOver } from '../printers/job_words.js'
import { cancel, orderFor, queue, resend, settle } from '../printers/jobs.js'
import { text } from '../language.js'
import { effect } from '../ui.js'

/** @typedef {import('../types.js').Job} Job */
/** @typedef {import('../types.js').Printer} Printer */
/** @typedef {import('../labels/printing.js').Order} Order */

export class KioskPrinter {
  #told
  #signal
  /** Descriptions of products by their codes. @type {Map<string, string>} */
  #names = new Map()
  /** The state of the printer and its jobs at the last call of `changed`. */
  #known = ''

  /**
   * @param {Printer} printer
   * @param {{failed: () => void, changed: () => void}} told `failed` is called when a job has failed or is in doubt, and
   *   `changed` when the printer or jobs need a person, or jobs wait for one
   * @param {AbortSignal} signal
   */
  constructor(printer, told, signal) {
    this.#told = told
    this.#signal = signal
    this.name = printer.name
    this.watch = watchPrinter([printer], printer.name, signal)
    const ends = [
      effect(() => void (this.watch.broken.value.length && told.failed())),
      effect(() => {
        if (this.watch.printer.value && this.watch.jobs.value && this.watch.unsettled.value) void this.#see()
      }),
    ]
    signal.addEventListener('abort', () => ends.forEach((end) => end()))
  }

  /** What a person has to do before anything is printed, or an empty text. */
  get needs() {
    return text(`kiosk.needs.${this.watch.printer.peek()?.state}`, { name: this.name }, '')
  }

  /** The jobs that need a person, the oldest first. */
  get troubles() {
    return [...this.watch.unsettled.peek()].reverse()
  }

  /** Jobs that wait while the printer needs a person, the oldest first. */
  get waiting() {
    return this.needs
      ? this.watch.jobs
          .peek()
          .filter((job) => !isOver(job))
          .reverse()
      : []
  }

  /** Return an order for this printer. @param {Order} order */
  orderFor(order) {
    return orderFor(order, /** @type {Printer} */ (this.watch.printer.peek()))
  }

  /**
   * @param {Order} order
   * @param {string} key of the task: scanning a product again prints it again
   */
  async print(order, key) {
    await queue(this.orderFor(order), key)
    void this.watch.look()
  }

  /** Return the number of labels of a product that wait. @param {string} code */
  waitingOf(code) {
    return this.waiting.filter(({ products }) => products.join() === code).reduce((sum, { labels }) => sum + labels, 0)
  }

  /** Return the name of a job's product, or its code. @param {Job} job */
  productOf({ products }) {
    return products.map((code) => this.#names.get(code) ?? code).join(', ')
  }

  /** @param {Job} job */
  async cancel(job) {
    await cancel(job)
    await this.watch.look()
  }

  /** Print the rest of a job from a label on. @type {(job: Job, from: number) => Promise<void>} */
  async again(job, from) {
    await resend(job, from)
    await this.watch.look()
  }

  /** @param {Job} job that a person has seen to */
  async dismiss(job) {
    await settle(job)
    await this.watch.look()
  }

  async #see() {
    const codes = new Set([...this.troubles, ...this.waiting].flatMap(({ products }) => products))
    for (const code of [...codes].filter((each) => !this.#names.has(each))) {
      const query = { product_code: code }
      const [product] = await ask('GET', '/api/products', { query, signal: this.#signal }).catch(() => [])
      if (product) this.#names.set(code, product.description)
    }
    const now = JSON.stringify([this.needs, ...[this.waiting, this.troubles].map((jobs) => jobs.map(({ id }) => id))])
    if (now === this.#known) return
    this.#known = now
    this.#told.changed()
  }
}
