/**
 * Refreshes the copy of the catalogue while no one uses the page.
 *
 * Rule: a person comes first, so it waits until nothing was touched, typed or scanned for a while. After a failure, it
 * waits for a minute, or until there is a network or a session again.
 */

import { isQuiet } from '../quiet.js'
import { catalogueCopy } from './copy.js'

/** Milliseconds between two looks at whether it is time. */
const LOOK_EVERY = 10_000

/** Milliseconds without a touch or a key after which the page counts as unused. */
const QUIET = 2000

/** Milliseconds after a failed attempt. */
const PAUSE = 60_000

/** Look now, and from time to time. */
export async function refreshWhenIdle() {
  let next = 0
  async function look() {
    if (performance.now() < next || document.visibilityState !== 'visible' || !isQuiet(QUIET)) return
    next = performance.now() + PAUSE
    await catalogueCopy()
      .then((copy) => copy.refresh())
      .then(
        () => (next = 0),
        () => undefined, // it is tried again
      )
  }
  window.addEventListener('online', () => (next = 0))
  new BroadcastChannel('session').onmessage = () => (next = 0)
  setInterval(() => void look(), LOOK_EVERY)
  await look()
}
