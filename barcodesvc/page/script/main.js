/** Starts the page: language, the view that the address names, the scanner, the queue of bookings. */

import { onUnauthorized } from './api.js'
import { bookings, hasBooked } from './bookings/sending.js'
import { Frame, shown, states } from './frame.js'
import { watchDrops } from './import/file_drop.js'
import { announce, closeDialogs, errorsSoFar, takenByDialog } from './in_front.js'
import { language, loadFurtherTexts, speak, text } from './language.js'
import { load, parseHash, START } from './router.js'
import { listen } from './scanner/listener.js'
import { endTrouble, sayTrouble } from './scanner/trouble.js'
import { FONT, keepVersion, needed, shopState } from './service.js'
import { settings } from './settings.js'
import { bad } from './sounds.js'
import { draw, effect, errorText, Failure, html, viewOf } from './ui.js'

/** @typedef {import('./router.js').View} View */

/** Milliseconds that the start waits at most to know whether the shop is empty. */
const PATIENCE = 1500

/** Milliseconds before the remaining files are fetched: the first view comes first. */
const CALM = 3000

const currentView = () => shown.peek()?.view

/** How many views were opened: one that arrives after a later one is closed again. */
let turn = 0

/** @param {boolean} [isAnew] whether a view that is shown opens again, rather than show what else its address names */
async function open(isAnew = false) {
  const its = ++turn
  const forgetErrors = errorsSoFar()
  const { name, route } = parseHash(location.hash)
  if (!isAnew && name === shown.peek()?.name && currentView()?.follow?.(route)) return forgetErrors()
  const module = await needed(load(name)).catch((error) => ({ open: () => unloaded(error) }))
  const view = (await stepsOfEmptyShop(name, route)) ?? (await module.open(route))
  if (its !== turn) return view.close?.()
  currentView()?.close?.()
  forgetErrors()
  shown.value = { name, view }
}

/** Return what to show instead of a view whose files do not load. Once the page itself is there, it is reloaded. @param {unknown} error */
function unloaded(error) {
  const again = () =>
    void fetch('/').then(
      () => location.reload(),
      () => undefined,
    )
  return viewOf(html`<div class="view"><${Failure} error=${error} again=${again} /></div>`, {
    title: text('unreachable'),
  })
}

/** The state of the shop, until the first view is shown. @type {Promise<import('./service.js').ShopState> | null} */
let asked = null

/**
 * Return the first screen of an empty shop, which is its start view; null if the shop has products, or does not say in time. A
 * device that may have stock changes, or whose address names a mode, has Scan.
 *
 * @param {string} name
 * @param {import('./router.js').Route} route
 * @returns {Promise<View | null>}
 */
async function stepsOfEmptyShop(name, { query }) {
  if (name !== START || query.has('mode') || settings.stocked.value || (await hasBooked())) return null
  const steps = (asked ?? shopState()).then(async (is) => {
    if (is !== 'empty') return null
    const { firstSteps } = await import('./settings/first_steps.js')
    return firstSteps(() => void open(true))
  })
  return Promise.race([steps.catch(() => null), new Promise((resolve) => setTimeout(resolve, PATIENCE, null))])
}

/** Ask for the key. @returns {Promise<void>} */
const askForKey = async () => {
  const [{ enterKey }] = await needed(Promise.all([import('./key.js'), loadFurtherTexts()]))
  await enterKey()
}

/** Ask for the key; behind its dialog is the start of a shop whose state is not known yet. */
async function unlock() {
  await askForKey()
  const { name, route } = parseHash(location.hash)
  const steps = await stepsOfEmptyShop(name, route)
  steps?.close?.()
  if (steps) await open(true)
}

/** The first view of the page; the key may be requested, and scanned, before it opens. @type {Promise<void>} */
let first = Promise.resolve()

/** The opening of the start view while it is under way: scans wait for it. @type {Promise<void> | null} */
let starting = null

/** @param {string} code */
async function scanned(code) {
  endTrouble()
  if (takenByDialog(code, () => currentView()?.keep?.(code) ?? false)) return
  await first
  if (currentView()?.scan) return currentView()?.scan?.(code)
  await (starting ??= toStart().finally(() => (starting = null)))
  // the start view itself does not load: it says so
  if (currentView()?.arrive) currentView()?.arrive?.(code)
  else bad()
}

/** Open the start view. Setting the address this way triggers no listener, which would open it again. */
async function toStart() {
  history.pushState(null, '', `#${START}`)
  await open()
}

/** Show the states on the line on top. */
async function showStates() {
  const [{ States }] = await Promise.all([import('./status_line.js'), loadFurtherTexts()])
  states.value = States
}

async function begin() {
  if (settings.font.value === FONT)
    document.fonts.add(new FontFace('Inter Variable', `url(${FONT})`, { weight: '100 900', display: 'optional' }))
  keepVersion()
  onUnauthorized(askForKey)
  await speak()
  document.querySelector('#unloaded')?.remove()
  draw(html`<${Frame} />`, /** @type {HTMLElement} */ (document.querySelector('#page')))
  watchDrops()
  window.addEventListener('hashchange', () => (closeDialogs(), void open()))
  asked = shopState()
  first = open()
  listen({
    scanned: (code) => void scanned(code),
    typed: (typed) => currentView()?.type?.(typed),
    troubled: (trouble, used) => {
      if (used !== '') currentView()?.takeBack?.(used)
      sayTrouble(trouble)
    },
  })
  await first
  void asked.then((state) => (state === 'locked' ? unlock() : undefined))
  asked = null
  let spoken = language.value
  effect(() => {
    if (language.value === spoken) return
    spoken = language.value
    void open(true)
  })
  const loaded = () => bookings().catch(() => undefined) // it fails again, visibly, when a person books
  if (await hasBooked()) void showStates().then(loaded, () => undefined)
  else if (shown.value?.name !== START) void showStates().catch(() => undefined)
  setTimeout(() => {
    void loaded()
    import('./page_care.js').then(({ lookAfter }) => lookAfter(showStates)).catch(() => undefined) // the network is gone: missing files are loaded when needed
  }, CALM)
}

// something failed for which no view has words; the console has the error
window.addEventListener('unhandledrejection', ({ reason }) => announce(errorText(reason), 'bad'))

void begin()
