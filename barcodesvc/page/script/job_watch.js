/** The print jobs of a view that are not over, so that it can say what becomes of them. */

import { isOver } from './job_words.js'

/** Jobs that are watched at most, and listed for that. */
export const MOST_WATCHED = 50

/** @typedef {import('./printers.js').Job} Job */

export class JobWatch {
  /** @type {number[]} */
  #ids = []

  get size() {
    return this.#ids.length
  }

  /** @param {Job} job */
  follow({ id }) {
    this.#ids = [...this.#ids.filter((each) => each !== id), id].slice(-MOST_WATCHED)
  }

  /**
   * Return the watched jobs that are over now; they are no longer watched.
   *
   * @param {Job[]} jobs the last ones of the printer
   */
  ended(jobs) {
    const ended = jobs.filter((job) => this.#ids.includes(job.id) && isOver(job))
    this.#ids = this.#ids.filter((id) => !ended.some((job) => job.id === id))
    return ended
  }
}
