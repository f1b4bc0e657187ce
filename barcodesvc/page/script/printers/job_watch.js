/**
 * The print jobs of a view that are not over, so that it can say what becomes of them, even after the page was loaded again.
 *
 * Rule: a printer takes its jobs in their order. So the oldest one is asked for, and the next one once that is over, however
 * many jobs others have sent since.
 */

import { isOver } from './job_words.js'
import { keptValue } from '../kept_value.js'

/** Jobs that are watched at most. */
const MOST = 50

/** @typedef {import('./printers.js').Job} Job */
/** @typedef {Pick<Job, 'printer' | 'id'>} Watched */

export class JobWatch {
  #kept

  /** @param {'labels' | 'kiosk'} view */
  constructor(view) {
    this.#kept = keptValue('localStorage', `barcodesvc.watched-jobs.${view}`)
  }

  get size() {
    return this.#watched().length
  }

  /** Whether a job is watched. @param {Watched} job */
  has(job) {
    return this.#watched().some((each) => isSame(each, job))
  }

  /** @param {Job} job */
  follow({ printer, id }) {
    this.#kept.store(
      [...this.#watched().filter((each) => !isSame(each, { printer, id })), { printer, id }].slice(-MOST),
    )
  }

  /**
   * Find out which of the watched jobs are over now; they are no longer watched.
   *
   * @param {(watched: Watched) => Promise<Job | null>} lookUp returns a job as it is now, or null if it no longer exists
   * @param {(job: Job) => void} over called with each
   */
  async look(lookUp, over) {
    const watched = this.#watched()
    for (const name of new Set(watched.map(({ printer }) => printer)))
      await this.#lookAt(
        watched.filter(({ printer }) => printer === name),
        lookUp,
        over,
      )
  }

  /**
   * @param {Watched[]} jobs of one printer, the oldest first
   * @param {(watched: Watched) => Promise<Job | null>} lookUp
   * @param {(job: Job) => void} over
   */
  async #lookAt(jobs, lookUp, over) {
    for (const watched of jobs) {
      const job = await lookUp(watched)
      if (job && !isOver(job)) return
      const others = this.#watched().filter((each) => !isSame(each, watched))
      const isNew = others.length < this.size // another tab may have been faster
      this.#kept.store(others)
      if (job && isNew) over(job)
    }
  }

  /** @returns {Watched[]} the oldest first */
  #watched() {
    const found = this.#kept.read()
    return Array.isArray(found)
      ? found.filter(({ printer, id }) => typeof printer === 'string' && Number.isInteger(id))
      : []
  }
}

/**
 * @param {Watched} one
 * @param {Watched} other
 */
function isSame(one, other) {
  return one.printer === other.printer && one.id === other.id
}
