/**
 * Maintains a page that stays open for long: it loads the remaining files while the service still has them, refreshes the
 * copy of the catalogue, and looks for a new version.
 *
 * Rule: a page with unfinished work is never reloaded automatically. It offers to reload; a view that is idle reloads
 * after a while without input.
 */

import { install } from './workers.js'
import { onInput, untilQuiet } from './quiet.js'
import { shown } from './frame.js'
import { watchDrops } from './import/file_drop.js'
import { loadFurtherTexts } from './language.js'
import { styleAddress, VIEWS } from './router.js'
import { settings } from './settings.js'
import { FONT, isOutdated, offerReload } from './service.js'
import { whileVisible } from './while_visible.js'

/** Milliseconds between two checks for a new version. */
const HOUR = 3_600_000

/** Milliseconds without a touch or a key after which an idle view counts as unused. */
const UNUSED = 60_000

/** Milliseconds without input after which files are loaded ahead. */
const PAUSE = 1000

/** Milliseconds after which the copy of the catalogue is refreshed, as soon as the page was quiet for a while. */
const FRESH = 40_000
const QUIET = 2000

/**
 * @param {() => Promise<void>} showStates
 */
export async function lookAfter(showStates) {
  watchDrops()
  await showStates()
  await untilQuiet(PAUSE) // a scan would wait for some hundred milliseconds
  await loadAll().catch(() => undefined)
  if ((await fetch(FONT).catch(() => null))?.ok) settings.font.value = FONT
  void refresh().catch(() => undefined)
  whileVisible(refresh, new AbortController().signal, FRESH)
  const installed = navigator.serviceWorker?.controller
  const worker = await install()
  let [isNewer, isQuiet] = [false, false]
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  function touched() {
    isQuiet = false
    clearTimeout(timer)
    timer = setTimeout(() => {
      isQuiet = true
      renew()
    }, UNUSED)
  }

  async function look() {
    isNewer = await isOutdated()
    renew()
  }

  function renew() {
    if (!isNewer) return
    if (!shown.peek()?.view.isIdle?.()) offerReload()
    else if (isQuiet) location.reload()
  }

  touched()
  onInput(touched)
  if (installed) navigator.serviceWorker.addEventListener('controllerchange', () => void look())
  setInterval(() => {
    worker?.update().catch(() => undefined)
    void look()
  }, HOUR)
}

async function refresh() {
  await untilQuiet(QUIET)
  await (await import('./catalogue/copy.js')).refreshCatalogue()
}

/** Load all modules, style sheets and texts that are not loaded yet. */
async function loadAll() {
  const sheets = new Set(Object.values(VIEWS).flatMap((view) => view.sheets))
  await Promise.all([
    ...Object.keys(VIEWS).map((name) => import(`./${name}/view.js`)),
    ...[...sheets].map((name) => fetch(styleAddress(name))),
    loadFurtherTexts(),
    import('./camera/photo_reading.js'),
    import('./camera/live.js'),
    import('./catalogue/copy.js'),
    import('./key.js'),
    import('./movements.js'),
    import('./products/form.js'),
    import('./scan/desk.js'),
    import('./settings/first_steps.js'),
    import('./settings/phone_dialog.js'),
  ])
}
