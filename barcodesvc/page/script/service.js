/**
 * What the service says of itself: whether it needs the key, whether the shop is empty, and whether it has another version
 * of the page, so that the files of this one are gone.
 *
 * Rule: the start of an empty shop is shown with its first steps or without them, and stays so: nothing moves from under a
 * finger. A device that has seen a product (`settings.stocked`) does not wait for the answer.
 */

import { envelope, NotLoaded, Refusal } from './api.js'
import { notice } from './in_front.js'
import { text } from './language.js'
import { settings } from './settings.js'

/** Where the files of this version are. */
const HERE = new URL('..', import.meta.url).pathname

/** The font: text that is shown in another one does not jump, so it is used from the next start on. */
export const FONT = `${HERE}library/inter.woff2`

/** @typedef {'empty' | 'stocked' | 'locked' | 'unknown'} ShopState `locked` without a key, `unknown` without a response */

/** Ask for the state of the shop. @returns {Promise<ShopState>} */
export async function shopState() {
  try {
    const { pagination } = await envelope('GET', '/api/products', { query: { limit: 1 }, isQuiet: true })
    settings.stocked.value = pagination.total > 0
    return settings.stocked.value ? 'stocked' : 'empty'
  } catch (error) {
    return error instanceof Refusal && error.status === 401 ? 'locked' : 'unknown'
  }
}

/** Hold a lock that tells the service worker to keep the files of this version. */
export function keepVersion() {
  void navigator.locks?.request(HERE.slice(0, -1), { mode: 'shared' }, () => new Promise(() => undefined))
}

/** Whether the service has another version; unknown while it cannot be reached. */
export async function isOutdated() {
  const shell = await fetch('/', { cache: 'no-store' }).then(
    (response) => response.text(),
    () => '',
  )
  return /"\/page\/\w+\//.test(shell) && !shell.includes(HERE)
}

/** Announce a new version, with a button that loads it. */
export function offerReload() {
  notice(text('newer'), 'bad', { name: text('reload'), press: () => location.reload() })
}

/** Return a required module, and if it does not load, say why. @template Module @param {Promise<Module>} module @returns {Promise<Module>} @throws {NotLoaded} */
export async function needed(module) {
  try {
    return await module
  } catch {
    if (!(await isOutdated())) throw new NotLoaded(text('unreachable'))
    offerReload()
    throw new NotLoaded(text('newer'))
  }
}
