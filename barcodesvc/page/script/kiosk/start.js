/**
 * The start screen of the kiosk: what the printer needs of a person, and what it has broken off; without that, one job
 * that has failed, to see to; then the next scan.
 *
 * Rule: one thing to do at a time. What a person types stays while the screen changes, as long as it is about the same job.
 */

import { element } from '../dom.js'
import { jobSays } from '../printers/job_words.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { whyNotQueued } from '../printers/jobs.js'
import { symbol } from '../symbols.js'
import { jobTrouble } from './trouble.js'

/** @typedef {import('../types.js').Job} Job */
/** @typedef {import('./printer.js').KioskPrinter} KioskPrinter */

export class KioskStart {
  /** The job that is shown as a trouble. @type {(ReturnType<typeof jobTrouble> & {id: number}) | null} */
  #trouble = null

  /**
   * Return the screen.
   *
   * @param {KioskPrinter | null} printer
   */
  screen(printer) {
    if (printer?.needs) return this.#needs(printer)
    this.#trouble = this.#troubleOf(printer)
    if (!this.#trouble)
      return element('div', { class: 'screen' }, symbol('scan'), element('h1', null, text('kiosk.scan')))
    return element('div', { class: 'screen' }, this.#trouble.node, element('p', null, text('kiosk.scan')))
  }

  /** @param {KioskPrinter} printer */
  #needs(printer) {
    return element(
      'div',
      { class: 'screen' },
      element('h1', { class: 'problem' }, element('bdi', null, printer.needs)),
      ...printer.troubles.map((job) =>
        element('p', { class: 'problem' }, element('bdi', null, `${printer.productOf(job)}: ${jobSays(job)}`)),
      ),
      element(
        'ul',
        { class: 'waiting' },
        ...printer.waiting.map((/** @type {Job} */ job) => this.#waiting(printer, job)),
      ),
      element('p', null, text('kiosk.later')),
    )
  }

  /**
   * Set how many labels came out by typed digits; returns whether there is one to set.
   *
   * @param {string} typed
   */
  type(typed) {
    return this.#trouble?.node.isConnected ? this.#trouble.type(typed) : false
  }

  /** Take back what was typed, which was part of a code. */
  takeBack() {
    if (this.#trouble?.node.isConnected) this.#trouble.takeBack()
  }

  /** @param {KioskPrinter | null} printer */
  #troubleOf(printer) {
    const [job] = printer?.troubles ?? []
    if (!printer || !job) return null
    if (job.id === this.#trouble?.id) return this.#trouble
    const actions = {
      again: (/** @type {number} */ from) => this.#act(printer.again(job, from)),
      dismiss: () => this.#act(printer.dismiss(job)),
    }
    return { ...jobTrouble(job, printer.productOf(job), actions), id: job.id }
  }

  /**
   * @param {KioskPrinter} printer
   * @param {Job} job
   */
  #waiting(printer, job) {
    const says = [printer.productOf(job), text('labels.sum', { count: job.labels })].filter(Boolean).join(' · ')
    const cancel = () => this.#act(printer.cancel(job))
    return element(
      'li',
      { class: 'row' },
      element('bdi', null, says),
      element('button', { type: 'button', onclick: cancel }, text('prints.cancel')),
    )
  }

  /** @param {Promise<void>} action */
  #act(action) {
    void action.catch((error) => announce(whyNotQueued(error, ''), 'bad'))
  }
}
