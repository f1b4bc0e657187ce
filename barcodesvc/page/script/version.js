/** Finds out whether the service has another version of the page, so that the files of this one are gone. */

import { text } from './language.js'
import { offer } from './notices.js'

/** Where the files of this version are. */
const HERE = new URL('..', import.meta.url).pathname

/** The font: text that is shown in another one does not jump, so it is used from the next start on. */
export const FONT = `${HERE}library/inter.woff2`

/** A required module does not load; its message says why. */
export class NotLoaded extends Error {}

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
  offer(text('newer'), text('reload'), () => location.reload())
}

/**
 * Return a required module, and if it does not load, say why.
 *
 * @template Module
 * @param {Promise<Module>} module
 * @returns {Promise<Module>}
 * @throws {NotLoaded}
 */
export async function needed(module) {
  try {
    return await module
  } catch {
    if (!(await isOutdated())) throw new NotLoaded(text('unreachable'))
    offerReload()
    throw new NotLoaded(text('newer'))
  }
}
