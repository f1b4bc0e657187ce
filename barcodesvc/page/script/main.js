/** Begins the page: language, navigation, the view that the address names, the scanner, the queue of bookings. */

import { element, fill } from './dom.js'
import { speak, text } from './language.js'
import { ALONE, load, START, VIEWS, wayOf } from './router.js'
import { listen } from './scanner/listener.js'
import { changes, settings } from './settings.js'
import { announce, notices } from './notices.js'
import { symbol } from './symbols.js'

/** Milliseconds before the files of the other views are fetched for offline: the first view comes first. */
const CALM = 3000

const main = element('main', { id: 'view', tabindex: '-1' })
const navigation = element('nav', { class: 'navigation' })

/** @type {import('./router.js').View | null} */
let shown = null
/** Which opening is the last one: a view that comes later than the next is closed again. */
let turn = 0

async function open() {
  const mine = ++turn
  const { name, way } = wayOf(location.hash)
  const module = await load(name).catch(() => null)
  const view = module ? await module.open(way) : unloaded()
  if (mine !== turn) return view.close?.()
  shown?.close?.()
  shown = view
  document.body.dataset['view'] = name
  document.title = `${view.title} · barcodesvc`
  navigation.hidden = ALONE.includes(name)
  for (const link of navigation.querySelectorAll('a')) {
    if (link.hash === `#${name}`) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
  fill(main, view.node)
  window.scrollTo(0, 0)
}

/**
 * Return what stands in the place of a view whose files do not come: the network is gone, or the service has newer ones.
 * Once the page itself can be had, it is loaded anew.
 *
 * @returns {import('./router.js').View}
 */
function unloaded() {
  const anew = () =>
    void fetch('/').then(
      () => location.reload(),
      () => undefined,
    )
  const again = element('button', { type: 'button', onclick: anew }, text('again'))
  const says = element('p', { class: 'problem', role: 'alert' }, text('unreachable'))
  return { node: element('div', { class: 'view' }, says, element('div', null, again)), title: text('unreachable') }
}

/** The way to the start, while it is under way: scans that come meanwhile wait for it. @type {Promise<void> | null} */
let starting = null

/** @param {string} code */
async function scanned(code) {
  while (!shown?.scan) await (starting ??= toStart().finally(() => (starting = null)))
  shown.scan(code)
}

/** Open the start. This way of naming it wakes no listener, who would open it once more. */
async function toStart() {
  history.pushState(null, '', `#${START}`)
  await open()
}

function navigationLinks() {
  fill(
    navigation,
    ...VIEWS.map((name) =>
      element('a', { href: `#${name}` }, symbol(name), element('span', null, text(`view.${name}`))),
    ),
  )
  navigation.setAttribute('aria-label', text('navigation'))
}

async function begin() {
  await speak(settings().language || navigator.language)
  navigationLinks()
  document.body.replaceChildren(
    element('a', { class: 'skip', href: '#view', onclick: skip }, text('skip')),
    navigation,
    main,
    notices(),
  )
  await open()
  window.addEventListener('hashchange', () => void open())
  listen(
    (code) => void scanned(code),
    (typed) => shown?.type?.(typed),
    new AbortController().signal,
  )
  void import('./bookings/sending.js').then(({ start }) => start())
  setTimeout(() => void import('./offline.js').then(({ install }) => install()), CALM)
}

/** @param {Event} event */
function skip(event) {
  event.preventDefault()
  main.focus()
}

let spoken = settings().language
changes.addEventListener('change', async () => {
  if (settings().language === spoken) return
  spoken = settings().language
  await speak(spoken || navigator.language)
  navigationLinks()
  await open()
})

window.addEventListener('unhandledrejection', (event) => announce(String(event.reason?.message ?? event.reason), 'bad'))

void begin()
