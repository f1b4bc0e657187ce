/**
 * Maintains a page that stays open for long: it loads the remaining files while the service still has them, refreshes the
 * copy of the catalogue, and looks for a new version.
 *
 * Rule: a person comes first, so all of it waits until the page is quiet: nothing was touched, typed or scanned for a while.
 * A page with unfinished work is never reloaded automatically. It offers to reload; a view that is idle reloads by itself.
 */

import { shown } from './frame.js'
import { loadFurtherTexts } from './language.js'
import { styleAddress, VIEWS } from './router.js'
import { keys } from './scanner/listener.js'
import { FONT, isOutdated, offerReload } from './service.js'
import { settings } from './settings.js'
import { whileVisible } from './while_visible.js'
import { install } from './workers.js'

/** Milliseconds between two checks for a new version. */
const HOUR = 3_600_000

/** Milliseconds without a touch or a key after which an idle view counts as unused. */
const UNUSED = 60_000

/** Milliseconds without input after which files are loaded ahead: a scan would wait for some hundred. */
const PAUSE = 1000

/** Milliseconds after which the copy of the catalogue is refreshed, as soon as the page was quiet for a while. */
const FRESH = 40_000
const QUIET = 2000

/** Milliseconds that something is put off at most until the page is quiet. */
const LONGEST = 60_000

/** @param {() => Promise<void>} showStates */
export async function lookAfter(showStates) {
  const untilQuiet = watchInput()
  await showStates()
  await untilQuiet(PAUSE)
  await loadAll().catch(() => undefined)
  if ((await fetch(FONT).catch(() => null))?.ok) settings.font.value = FONT
  const refresh = async () => {
    await untilQuiet(QUIET)
    await (await import('./catalogue/copy.js')).refreshCatalogue()
  }
  void refresh().catch(() => undefined)
  whileVisible(refresh, new AbortController().signal, FRESH)
  const installed = navigator.serviceWorker?.controller
  const worker = await install()
  const isIdle = () => shown.peek()?.view.isIdle?.()
  const look = async () => {
    if (!(await isOutdated())) return
    if (isIdle()) await untilQuiet(UNUSED, Infinity)
    if (isIdle()) location.reload()
    else offerReload()
  }
  if (installed) navigator.serviceWorker.addEventListener('controllerchange', () => void look())
  setInterval(() => {
    worker?.update().catch(() => undefined)
    void look()
  }, HOUR)
}

/** Watch each touch and each key, also those of a scanner; return a function that waits until there were none for a time. */
export function watchInput() {
  let last = -Infinity
  const note = () => (last = performance.now())
  for (const type of ['keydown', 'pointerdown']) window.addEventListener(type, note, { capture: true, passive: true })
  keys.addEventListener('key', note) // the page does not get the other events of a scanner's keys

  /** @param {number} time in milliseconds @param {number} [limit] in milliseconds, after which it waits no longer */
  return async (time, limit = LONGEST) => {
    const end = performance.now() + limit
    do await new Promise((resolve) => setTimeout(resolve, time))
    while (performance.now() - last < time && performance.now() < end)
  }
}

/** Load all modules, style sheets and texts that are not loaded yet. */
async function loadAll() {
  const sheets = new Set(Object.values(VIEWS).flatMap((view) => view.sheets))
  await Promise.all([
    ...Object.keys(VIEWS).map((name) => import(`./${name}/view.js`)),
    ...[...sheets].map((name) => fetch(styleAddress(name))),
    loadFurtherTexts(),
    import('./camera/photo.js'),
    import('./camera/live.js'),
    import('./catalogue/copy.js'),
    import('./key.js'),
    import('./movements.js'),
    import('./products/form.js'),
    import('./scan/desk.js'),
    import('./scan/list.js'),
    import('./scan/pad.js'),
    import('./settings/first_steps.js'),
    import('./settings/phone_dialog.js'),
  ])
}
