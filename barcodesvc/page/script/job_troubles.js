/**
 * The jobs that have failed or are in doubt, and that were neither printed again nor put aside.
 *
 * Rule: this device keeps them, however many jobs have followed, until a person has seen to them.
 */

import { isBad } from './job_words.js'
import { keptValue } from './kept_value.js'

/** Jobs that are kept at most, and those that are remembered as seen to. */
const MOST_OPEN = 20
const MOST_SETTLED = 200

const kept = keptValue('localStorage', 'barcodesvc.job-troubles')

/** @typedef {import('./printers.js').Job} Job */
/** @typedef {{open: Job[], settled: string[]}} Troubles */

/**
 * Note which of some jobs need a person, and which of the known ones were printed again.
 *
 * @param {Job[]} jobs
 */
export function noteJobs(jobs) {
  const before = read()
  const again = jobs.flatMap(({ printer, resend_of: id }) => (id === null ? [] : [keyOf({ printer, id })]))
  const settled = [...new Set([...again, ...before.settled])].slice(0, MOST_SETTLED)
  const found = new Map([...jobs.filter(isBad), ...before.open].map((job) => [keyOf(job), job]))
  const open = [...found].filter(([key]) => !settled.includes(key)).map(([, job]) => job)
  const newest = open.sort((one, other) => other.id - one.id).slice(0, MOST_OPEN)
  store({ open: newest, settled }, before)
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
