/**
 * Shows the view that the address names: `#stock`, `#products/12`, `#kiosk?sheet=L7160`.
 *
 * Rule: a view is a module that is loaded when it is first shown. `open` returns what to show, and `close` ends what it
 * began. A view that handles scans has `scan`; without it, a scan opens the start view. One with `type` gets what is typed
 * while no field has the focus, and returns whether it used it.
 */

import { element } from './dom.js'
import { speakOfLabels } from './language.js'

/**
 * @typedef {object} View
 * @property {HTMLElement} node
 * @property {string} title
 * @property {(text: string) => void} [scan]
 * @property {(text: string) => void} [arrive] handles a scan that opened the view
 * @property {(text: string) => boolean} [keep] books a scan that is sent later; returns whether it is a booking
 * @property {(text: string) => boolean} [type]
 * @property {(typed: string) => void} [takeBack] takes back the last typed characters, which were part of a code
 * @property {(route: Route) => boolean} [follow] shows what another address of the view names; returns whether it does
 * @property {(file: File) => void} [take] imports a file that was dropped
 * @property {() => boolean} [isTaking] whether an import is under way, so that it takes no other file
 * @property {() => boolean} [isIdle] whether nothing is lost when the page is reloaded automatically
 * @property {() => void} [close]
 *
 * @typedef {{path: string[], query: URLSearchParams}} Route
 * @typedef {{open: (route: Route) => View | Promise<View>}} ViewModule
 */

/** The start view, and every other view of the navigation, in its order. */
export const START = 'scan'
export const VIEWS = ['scan', 'labels', 'products', 'stock', 'settings']

/** Views without navigation, so that users do not leave them by accident. */
export const FULL_SCREEN_VIEWS = ['kiosk']

/**
 * Return the view that an address names; an unknown one is the start view.
 *
 * @param {string} hash
 * @returns {{name: string, route: Route}}
 */
export function parseHash(hash) {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [name = '', ...rest] = path.split('/').map(decoded)
  const known = [...VIEWS, ...FULL_SCREEN_VIEWS].includes(name)
  return { name: known ? name : START, route: { path: rest, query: new URLSearchParams(query) } }
}

/** The style sheets of each view that needs more than the page's own. @type {Record<string, string[]>} */
const SHEETS = {
  labels: ['labels'],
  kiosk: ['labels', 'kiosk'],
  settings: ['labels'],
  products: ['tables', 'products', 'import'],
  stock: ['tables', 'stock'],
}

/** The views that need the texts of labels. */
const OF_LABELS = ['labels', 'kiosk']

/**
 * Load the module of a view, its style sheets and its texts.
 *
 * @param {string} name one of VIEWS or FULL_SCREEN_VIEWS
 * @returns {Promise<ViewModule>}
 */
export async function load(name) {
  const module = import(`./${name}/view.js`)
  const texts = OF_LABELS.includes(name) ? speakOfLabels() : null
  const [view] = await Promise.all([module, texts, ...(SHEETS[name] ?? []).map(dress)])
  return view
}

/**
 * Remove the style sheets of all views but this one.
 *
 * @param {string} name
 */
export function undress(name) {
  /** @type {NodeListOf<HTMLLinkElement>} */
  const sheets = document.querySelectorAll('link[data-sheet]')
  for (const sheet of sheets) if (!SHEETS[name]?.includes(sheet.dataset['sheet'] ?? '')) sheet.remove()
}

/**
 * Add a style sheet to the page, once.
 *
 * @param {string} name
 * @returns {Promise<unknown>} resolved when it is loaded, or has failed: the view works without it
 */
function dress(name) {
  if (document.querySelector(`link[data-sheet=${name}]`)) return Promise.resolve()
  const href = new URL(`../style/${name}.css`, import.meta.url).href
  return new Promise((resolve) => {
    const failed = () => (link.remove(), resolve(null))
    const link = element('link', { rel: 'stylesheet', 'data-sheet': name, href, onload: resolve, onerror: failed })
    document.head.append(link)
  })
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
