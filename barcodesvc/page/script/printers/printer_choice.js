/**
 * The choice of where labels are printed: on this device by its browser, or on a printer of the service, with its state.
 *
 * Rule: the service asks printers for their states only while one is chosen here and the page is looked at.
 */

import { element } from '../dom.js'
import { text } from '../language.js'
import { listJobs, listPrinters } from './printers.js'
import { change, settings } from '../settings.js'
import { whileVisible } from '../while_visible.js'
import { choice } from '../choice.js'
import { errorText } from '../failure.js'

/** Milliseconds between two looks at the printer. */
const EVERY = 2000

/** Jobs that are asked for: of those that need a person more are shown than the last ones. */
const LISTED = 20

/** The value of the choice for this device. */
const HERE = ''

/** @typedef {import('./printers.js').Printer} Printer */
/** @typedef {import('./printers.js').Job} Job */

export class PrinterChoice {
  #printers
  #changed
  #seen
  #signal
  #choice

  /**
   * @param {Printer[]} printers
   * @param {{changed: () => void, seen: (jobs: Job[]) => void}} told `changed` is called when another one is chosen, and
   *   `seen` with the last jobs of the chosen one
   * @param {AbortSignal} signal
   */
  constructor(printers, { changed, seen }, signal) {
    this.#printers = printers
    this.#changed = changed
    this.#seen = seen
    this.#signal = signal
    const options = printers.map(({ name }) => /** @type {[string, string]} */ ([name, name]))
    this.#choice = choice(text('printer'), [[HERE, text('printer.here')], ...options], settings().printer, (name) =>
      this.#choose(name),
    )
    this.node = this.#choice.label
    this.node.hidden = printers.length === 0
    /** The state of the printer in words. */
    this.state = element('p', { class: 'printer-state', role: 'status' })
    whileVisible(() => this.look(), signal, EVERY)
    this.#show()
    void this.look()
  }

  /** Return the chosen printer, or null for this device. */
  chosen() {
    return this.#printers.find(({ name }) => name === this.#choice.field.value) ?? null
  }

  /** Look at the chosen printer and its jobs now; without a response, say so. */
  async look() {
    const name = this.chosen()?.name
    if (!name) return
    try {
      const found = await Promise.all([listPrinters(this.#signal), listJobs(name, LISTED, this.#signal)])
      if (this.chosen()?.name !== name) return
      this.#printers = found[0]
      this.#show()
      this.#seen(found[1])
    } catch (error) {
      if (!this.#signal.aborted && this.chosen()?.name === name) this.#say(errorText(error), 'not_reachable')
    }
  }

  /** @param {string} name */
  #choose(name) {
    change({ printer: name })
    this.#show()
    this.#changed()
    void this.look()
  }

  #show() {
    const printer = this.chosen()
    this.#say(printer ? printerSays(printer) : '', printer?.state ?? '')
  }

  /**
   * @param {string} says
   * @param {string} state
   */
  #say(says, state) {
    this.state.hidden = says === ''
    this.state.dataset['state'] = state
    if (this.state.textContent !== says) this.state.textContent = says
  }
}

/**
 * Return the state of a printer, and how many jobs wait for it.
 *
 * @param {Printer} printer
 */
export function printerSays({ name, state, jobs_waiting: count }) {
  const says = text(`printer.${state}`, { name })
  return count ? `${says} ${text('printer.waiting', { count })}` : says
}
