/**
 * Refreshes the copy of the catalogue while no one uses the page.
 *
 * Rule: a person comes first. Each page of products waits until nothing was touched, typed or scanned for a while. One tab
 * of the browser refreshes at a time. After a failure, it waits for a minute, or until there is a network or a session again.
 */

import { envelope } from '../api.js'
import { isQuiet } from '../quiet.js'
import { catalogueStorage } from './copy.js'
import { CatalogueRefresh } from './refresh.js'

/** Milliseconds between two looks at whether it is time. */
const LOOK_EVERY = 10_000

/** Milliseconds without a touch or a key after which the page counts as unused. */
const QUIET = 2000

/** Milliseconds after a failed attempt. */
const PAUSE = 60_000

let next = 0

/** Look now, and from time to time. */
export async function refreshWhenIdle() {
  window.addEventListener('online', () => (next = 0))
  new BroadcastChannel('session').onmessage = () => (next = 0)
  setInterval(() => void look(), LOOK_EVERY)
  await look()
}

function isIdle() {
  return document.visibilityState === 'visible' && isQuiet(QUIET)
}

async function look() {
  if (performance.now() < next || !isIdle()) return
  next = performance.now() + PAUSE
  await alone(refresh).then(
    () => (next = 0),
    () => undefined, // it is tried again
  )
}

async function refresh() {
  const refreshing = new CatalogueRefresh(await catalogueStorage(), { list })
  if (await refreshing.isDue()) await refreshing.run()
}

/**
 * Return a page of products, once the page is unused. Without a session it is refused: no one is asked for the key.
 *
 * @param {Record<string, unknown>} query
 */
async function list(query) {
  await idle()
  return envelope('GET', '/api/products', { query, isQuiet: true })
}

/** Return when the page is unused. */
async function idle() {
  while (!isIdle()) await new Promise((resolve) => setTimeout(resolve, 1000))
}

/**
 * Run this unless another tab does. Over plain HTTP there are no locks, and each tab does it.
 *
 * @param {() => Promise<void>} run
 */
async function alone(run) {
  if (!navigator.locks) return run()
  await navigator.locks.request('barcodesvc.catalogue', { ifAvailable: true }, (lock) => (lock ? run() : undefined))
}
