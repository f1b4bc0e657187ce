/**
 * The jobs that have failed or are in doubt, and that were neither printed again nor put aside.
 *
 * Rule: this device keeps them, however many jobs have followed, until a person has seen to them.
 */

import { isBad } from './job_words.js'
import { keptValue } from '../kept_value.js'

/** Jobs that are kept at most, those of this device's kiosk among them, and those that are remembered as seen to. */
const MOST_OPEN = 20
const MOST_OF_KIOSK = 50
const MOST_SETTLED = 200

const kept = keptValue('localStorage', 'barcodesvc.job-troubles')

/** @typedef {import('./printers.js').Job} Job */
/** A job; `isOfKiosk` is for one that this device's kiosk has printed. @typedef {Job & {isOfKiosk?: boolean}} Trouble */
/** @typedef {{open: Trouble[], settled: string[]}} Troubles */

/** Note which of some jobs need a person, and which of the known ones were printed again. @param {Job[]} jobs */
export function noteJobs(jobs) {
  note(jobs, [...jobs.filter(isBad), ...read().open])
}

/** The same for jobs that this device's kiosk has printed. @param {Job[]} jobs */
export function noteJobsOfKiosk(jobs) {
  note(jobs, [...read().open, ...jobs.filter(isBad).map((job) => ({ ...job, isOfKiosk: true }))])
}

/**
 * @param {Job[]} jobs
 * @param {Trouble[]} all jobs that need a person; the last one of equal keys counts, so that a job of the kiosk stays one
 * when others list it
 */
function note(jobs, all) {
  const before = read()
  const again = jobs.flatMap(({ printer, resend_of: id }) => (id === null ? [] : [keyOf({ printer, id })]))
  const settled = [...new Set([...again, ...before.settled])].slice(0, MOST_SETTLED)
  const found = new Map(all.map((job) => [keyOf(job), job]))
  const open = [...found].filter(([key]) => !settled.includes(key)).map(([, job]) => job)
  store({ open: newest(open), settled }, before)
}

/**
 * Return the jobs that are kept, the newest first. Those of the kiosk remain, however many others are noted.
 *
 * @param {Trouble[]} open
 */
function newest(open) {
  const sorted = open.sort((one, other) => other.id - one.id)
  const ofKiosk = sorted.filter(({ isOfKiosk }) => isOfKiosk).slice(0, MOST_OF_KIOSK)
  const others = sorted.filter(({ isOfKiosk }) => !isOfKiosk).slice(0, MOST_OPEN)
  return sorted.filter((job) => [...ofKiosk, ...others].includes(job))
}

/** Note that a person has seen to a job. @param {Pick<Job, 'printer' | 'id'>} job */
export function settle(job) {
  const before = read()
  const key = keyOf(job)
  const settled = [key, ...before.settled.filter((each) => each !== key)].slice(0, MOST_SETTLED)
  store({ open: before.open.filter((each) => keyOf(each) !== key), settled }, before)
}

/**
 * Return the jobs of a printer that need a person, the newest first.
 *
 * @param {string} printer
 */
export function troublesOf(printer) {
  return read().open.filter((job) => job.printer === printer)
}

/**
 * Return those of them that the kiosk has printed, the oldest first.
 *
 * @param {string} printer
 */
export function troublesOfKiosk(printer) {
  return troublesOf(printer)
    .filter(({ isOfKiosk }) => isOfKiosk)
    .reverse()
}

/** Forget all. */
export function forgetTroubles() {
  kept.store(null)
}

/** @returns {Troubles} */
function read() {
  const found = /** @type {Partial<Troubles> | null} */ (kept.read())
  const { open, settled } = found ?? {}
  return { open: Array.isArray(open) ? open : [], settled: Array.isArray(settled) ? settled : [] }
}

/**
 * @param {Troubles} now
 * @param {Troubles} before
 */
function store(now, before) {
  if (JSON.stringify(now) !== JSON.stringify(before)) kept.store(now)
}

/** @param {Pick<Job, 'printer' | 'id'>} job */
function keyOf({ printer, id }) {
  return `${printer}/${id}`
}
