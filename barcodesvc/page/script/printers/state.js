/** The state of a printer in words: how it is, and what keeps it from printing. */

import { text } from '../language.js'

/** @import {Printer} from '../types.js' */

/** Return the state of a printer, and how many jobs wait for it. @param {Printer} printer */
export function printerSays({ name, state, jobs_waiting: count }) {
  const says = text(`printer.${state}`, { name })
  return count ? `${says} ${text('printer.waiting', { count })}` : says
}

/** Return what a job waits for if a printer of this name does not print in its state, else nothing. @type {(name: string, state: string) => string} */
export function waitsUntil(name, state) {
  return text(`job.until.${state}`, { name }, '')
}
