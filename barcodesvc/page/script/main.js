/** Starts the page: language, navigation, the view that the address names, the scanner, the queue of bookings. */

import { onUnauthorized } from './api.js'
import { bookings, hasBooked } from './bookings/sending.js'
import { closeDialogs, openDialog, takenByDialog } from './dialogs.js'
import { element, fill } from './dom.js'
import { loadFurtherTexts, speak, text } from './language.js'
import { fillsScreen, load, parseHash, removeStyles, START, VIEWS } from './router.js'
import { endTrouble, sayTrouble } from './scanner/trouble.js'
import { listen } from './scanner/listener.js'
import { changes, settings } from './settings.js'
import { isKnownStocked, shopState } from './shop_state.js'
import { announce, errorsSoFar, notices } from './notices.js'
import { bad } from './sounds.js'
import { symbol } from './symbols.js'
import { FONT, isOutdated, keepVersion, needed } from './version.js'

/** Milliseconds that the start waits at most to know whether the shop is empty. */
const PATIENCE = 1500

/** Milliseconds before the remaining files are fetched: the first view comes first. */
const CALM = 3000

/** Milliseconds in which the list of stock changes appears. */
const SOON = 3000

const main = element('main', { id: 'view', tabindex: '-1' })
const navigation = element('nav', { class: 'navigation' })
const status = /** @type {HTMLElement} */ (document.querySelector('.status'))

/** @type {import('./router.js').View | null} */
let shown = null
/** How many views were opened: one that arrives after a later one is closed again. */
let turn = 0

/** @param {boolean} [isAnew] whether a view that is shown opens again, rather than show what else its address names */
async function open(isAnew = false) {
  const its = ++turn
  const forgetErrors = errorsSoFar()
  const { name, route } = parseHash(location.hash)
  if (!isAnew && name === document.body.dataset['view'] && shown?.follow?.(route)) return forgetErrors()
  const module = await load(name).catch(() => null)
  const view = (await stepsOfEmptyShop(name, route)) ?? (module ? await module.open(route) : await unloaded())
  if (its !== turn) return view.close?.()
  shown?.close?.()
  forgetErrors()
  const isFirst = shown === null
  shown = view
  document.body.dataset['view'] = name
  document.documentElement.dataset['shown'] = name
  document.title = `${view.title} · barcodesvc`
  status.hidden = navigation.hidden = fillsScreen(name)
  for (const link of navigation.querySelectorAll('a')) {
    if (link.hash === `#${name}`) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
  fill(main, view.node)
  removeStyles(name)
  window.scrollTo(0, 0)
  if (!isFirst) focusTitle()
}

/** Move the focus to the title of a view that has just opened, which screen readers then read out. */
function focusTitle() {
  if (main.contains(document.activeElement)) return
  const title = [...main.querySelectorAll('h1')].at(-1) ?? main
  title.setAttribute('tabindex', '-1')
  title.focus()
}

/**
 * Return what to show instead of a view whose files do not load: the network is gone, or the service has newer ones. Once
 * the page itself is available, it is reloaded.
 *
 * @returns {Promise<import('./router.js').View>}
 */
async function unloaded() {
  const isNewer = await isOutdated()
  const anew = () =>
    void fetch('/').then(
      () => location.reload(),
      () => undefined,
    )
  const again = element('button', { type: 'button', onclick: anew }, text(isNewer ? 'reload' : 'again'))
  const says = element('p', { class: 'problem', role: 'alert' }, text(isNewer ? 'newer' : 'unreachable'))
  return { node: element('div', { class: 'view' }, says, element('div', null, again)), title: text('unreachable') }
}

/** The state of the shop, until the first view is shown. @type {Promise<import('./shop_state.js').ShopState> | null} */
let asked = null

/**
 * Return the first screen of an empty shop, which is its start view; null if the shop has products, or does not say in time. A
 * device that may have stock changes, or whose address names a mode, has Scan.
 *
 * @param {string} name
 * @param {import('./router.js').Route} route
 */
async function stepsOfEmptyShop(name, { query }) {
  if (name !== START || query.has('mode') || isKnownStocked() || (await hasBooked())) return null
  const state = asked ?? shopState()
  const steps = state.then(async (is) => {
    if (is !== 'empty') return null
    const [{ firstSteps }] = await Promise.all([import('./settings/first_steps.js'), loadFurtherTexts()])
    return firstSteps(() => void open(true))
  })
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE, null))
  return /** @type {Promise<import('./router.js').View | null>} */ (Promise.race([steps.catch(() => null), late]))
}

/** Ask for the key; behind its dialog is the start of a shop whose state is not known yet. */
async function unlock() {
  await (await needed(import('./key.js'))).enterKey()
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
  if (takenByDialog(code, () => shown?.keep?.(code) ?? false)) return
  await first
  if (shown?.scan) return shown.scan(code)
  await (starting ??= toStart().finally(() => (starting = null)))
  // the start view itself does not load: it says so
  if (shown?.arrive) shown.arrive(code)
  else bad()
}

/** Open the start view. Setting the address this way triggers no listener, which would open it again. */
async function toStart() {
  history.pushState(null, '', `#${START}`)
  await open()
}

/** Show the list of stock changes, in which a refused one comes first. */
async function showChanges() {
  if (document.body.dataset['view'] !== START) await toStart()
  const end = performance.now() + SOON
  /** @type {HTMLElement | null} */
  let list
  do await new Promise((resolve) => requestAnimationFrame(resolve))
  while (!(list = document.querySelector('.bookings')) && performance.now() < end)
  list?.focus({ preventScroll: true })
  const refused = list?.querySelector('[data-state=refused], .refused')
  ;(refused ?? list)?.scrollIntoView({ block: 'center' })
}

/** Draw the status line; again in another language. */
async function showStatus() {
  const { drawStatus } = await import('./status_line.js')
  drawStatus(status, () => void showChanges())
}

function navigationLinks() {
  fill(
    navigation,
    ...Object.keys(VIEWS)
      .filter((name) => !fillsScreen(name))
      .map((name) => element('a', { href: `#${name}` }, symbol(name), element('span', null, text(`view.${name}`)))),
  )
  navigation.setAttribute('aria-label', text('navigation'))
}

async function begin() {
  if (settings.font.value === FONT)
    document.fonts.add(new FontFace('Inter Variable', `url(${FONT})`, { weight: '100 900', display: 'optional' }))
  const shop = status.querySelector('bdi')
  if (shop && settings.shopName.value) shop.textContent = settings.shopName.value
  keepVersion()
  onUnauthorized(async () => (await needed(import('./key.js'))).enterKey())
  await speak(settings.language.value || navigator.language)
  navigationLinks()
  document.body.replaceChildren(
    ...document.querySelectorAll('#too-old:not([hidden])'),
    element('a', { class: 'skip', href: '#view', onclick: skip }, text('skip')),
    status,
    navigation,
    main,
    notices(),
  )
  window.addEventListener('hashchange', () => (closeDialogs(), void open()))
  asked = shopState()
  first = open()
  for (const type of /** @type {const} */ (['dragover', 'drop'])) window.addEventListener(type, dragged)
  listen(
    {
      scanned: (code) => void scanned(code),
      typed: (typed) => shown?.type?.(typed),
      troubled: (trouble, used) => {
        if (used !== '') shown?.takeBack?.(used)
        sayTrouble(trouble)
      },
    },
    new AbortController().signal,
  )
  await first
  void asked.then((state) => (state === 'locked' ? unlock() : undefined))
  asked = null
  const loaded = () => bookings().catch(() => undefined) // it fails again, visibly, when a person books
  if (await hasBooked()) void showStatus().then(loaded, () => undefined)
  else if (document.body.dataset['view'] !== START) void showStatus().catch(() => undefined)
  setTimeout(() => {
    void loaded()
    const isIdle = () => shown?.isIdle?.() ?? false
    import('./page_care.js').then(({ lookAfter }) => lookAfter(isIdle, showStatus)).catch(() => undefined) // the network is gone: missing files are loaded when needed
  }, CALM)
}

/**
 * Never open a dropped file or link in place of the page: a file is imported, anything else is refused.
 *
 * @param {DragEvent} event
 */
function dragged(event) {
  const transfer = event.dataTransfer
  const isFile = transfer?.types.includes('Files') ?? false
  const isField = event.target instanceof Element && event.target.matches('input, textarea')
  if (isField && !isFile) return
  event.preventDefault()
  if (!transfer) return
  const isTaken = isFile && takesFiles()
  transfer.dropEffect = isTaken ? 'copy' : 'none'
  if (!isTaken) return
  void import('./import/file_drop.js').then(({ showDrop }) => showDrop(event.type)).catch(() => undefined)
  if (event.type === 'drop') importFile(transfer.files[0])
}

/** Whether a file may be imported now: the view may be left, and nothing is open or under way. */
function takesFiles() {
  return !navigation.hidden && !openDialog() && !shown?.isTaking?.()
}

/** @param {File | undefined} file */
function importFile(file) {
  if (!file) return
  if (shown?.take) shown.take(file)
  else void import('./import/start.js').then(({ requestImport }) => requestImport(file))
}

/** @param {Event} event */
function skip(event) {
  event.preventDefault()
  main.focus()
}

let spoken = settings.language.value
changes.addEventListener('change', async () => {
  if (settings.language.value === spoken) return
  spoken = settings.language.value
  await speak(spoken || navigator.language)
  navigationLinks()
  if (status.querySelector('.states')) void showStatus()
  await open(true)
})

window.addEventListener('unhandledrejection', ({ reason }) => void say(reason))

/** Say that something failed for which no view has words; the console has the error. @param {unknown} reason */
async function say(reason) {
  const { errorText } = await import('./ui.js')
  announce(errorText(reason), 'bad')
}

void begin()
