/** Where labels are printed, what was printed there last, and what becomes of the jobs of this view. */

import { JobWatch } from '../job_watch.js'
import { nameJob, nameOf } from '../job_names.js'
import { isBad, jobSays } from '../job_words.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { cancel, jobNow, resend, whyNotQueued } from '../printers.js'
import { bad } from '../sounds.js'
import { whileVisible } from '../while_visible.js'
import { lastPrints } from './last_prints.js'
import { PrinterChoice } from './printer_choice.js'

/** @typedef {import('../printing.js').Order} Order */
/** @typedef {import('../printers.js').Job} Job */

/** Milliseconds between two looks at the jobs of this view. */
const EVERY = 2000

export class Prints {
  #watch = new JobWatch('labels')
  /** Jobs that have failed or are in doubt, which may be older than those that the service has listed. @type {Job[]} */
  #troubles = []
  #choice
  #last

  /**
   * @param {import('../printers.js').Printer[]} printers
   * @param {() => void} changed called when another printer is chosen
   * @param {(order: Order) => void} again prints an order again on this device
   * @param {AbortSignal} signal
   */
  constructor(printers, changed, again, signal) {
    this.#last = lastPrints(again, {
      resend: (job, from) => void this.#act(resend(job, from), job),
      cancel: (job) => void this.#act(cancel(job), job),
    })
    this.#choice = new PrinterChoice(printers, { changed, seen: (jobs) => this.#see(jobs) }, signal)
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

  /** Show what was printed last; the jobs of a printer follow when the service has listed them. */
  show() {
    const printer = this.printer()
    if (printer) this.#last.showPrinter(printer.name)
    else this.#last.showOrders()
  }

  /**
   * Say that a job is on its way, and what becomes of it.
   *
   * @param {Job} job
   */
  follow(job) {
    this.#watch.follow(job)
    announce(text('job.queued', { count: job.labels, name: job.printer }))
    void this.#choice.look()
  }

  /** @param {Job[]} jobs the last ones of the chosen printer */
  #see(jobs) {
    const printer = this.printer()?.name
    const older = this.#troubles.filter((job) => job.printer === printer && !jobs.some(({ id }) => id === job.id))
    this.#last.showJobs([...jobs, ...older])
  }

  /** @param {Job} job that is over */
  #tell(job) {
    if (!isBad(job)) return
    this.#troubles.unshift(job)
    void this.#choice.look()
    bad()
    announce([nameOf(job), jobSays(job)].filter(Boolean).join(': '), 'bad')
  }

  /**
   * @param {Promise<Job>} action
   * @param {Job} job on which it acts
   */
  async #act(action, job) {
    try {
      const changed = await action
      if (changed.id === job.id) return void this.#choice.look()
      nameJob(changed, nameOf(job))
      this.#troubles = this.#troubles.filter(({ id }) => id !== job.id)
      this.follow(changed)
    } catch (error) {
      announce(whyNotQueued(error, ''), 'bad')
    }
  }
}
