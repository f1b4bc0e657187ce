/**
 * When the page is quiet: nothing was touched, typed or scanned for a while.
 *
 * Rule: a person comes first. Loading ahead, and copies, wait until the page is quiet.
 */

import { keys } from './scanner/listener.js'

/** Milliseconds that something is put off at most until the page is quiet. */
const LONGEST = 60_000

let last = -Infinity

/** Call this at each touch and each key, also at those of a scanner. @param {() => void} act */
export function onInput(act) {
  for (const type of ['keydown', 'pointerdown']) window.addEventListener(type, act, { capture: true, passive: true })
  keys.addEventListener('key', act) // the page does not get the other events of a scanner's keys
}

/** @param {number} time in milliseconds */
export function isQuiet(time) {
  return performance.now() - last >= time
}

/**
 * Return after the page was quiet for this time, or at the limit.
 *
 * @param {number} time in milliseconds, at least from now: earlier input may be unknown
 * @param {number} [limit] in milliseconds
 */
export async function untilQuiet(time, limit = LONGEST) {
  const end = performance.now() + limit
  do await new Promise((resolve) => setTimeout(resolve, time))
  while (!isQuiet(time) && performance.now() < end)
}

onInput(() => (last = performance.now()))
