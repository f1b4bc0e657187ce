/**
 * Finds the view that an address names: `#stock`, `#products/12`, `#kiosk?sheet=L7160`.
 *
 * Rule: a view is a module, `<name>/view.js`, that is loaded when it is first shown. `open` returns what to show, and `close` ends what it
 * began. A view that handles scans has `scan`; without it, a scan opens the start view. One with `type` gets what is typed
 * while no field has the focus, and returns whether it used it.
 */

import { loadFurtherTexts } from './language.js'

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

/** The start view. */
export const START = 'scan'

/**
 * Each view, in the order of the navigation: the style sheets that it needs besides the page's own. A view that fills the
 * screen has no navigation, so that people do not leave it by accident.
 *
 * @type {Record<string, {sheets: string[], fillsScreen?: boolean}>}
 */
export const VIEWS = {
  scan: { sheets: [] },
  labels: { sheets: ['labels'] },
  products: { sheets: ['tables', 'products', 'import'] },
  stock: { sheets: ['tables', 'stock'] },
  settings: { sheets: ['labels'] },
  kiosk: { sheets: ['labels', 'kiosk'], fillsScreen: true },
}

/** Whether a view has no navigation. @param {string | undefined} name */
export function fillsScreen(name = '') {
  return Boolean(VIEWS[name]?.fillsScreen)
}

/** Return the view that an address names; an unknown one is the start view. @param {string} hash @returns {{name: string, route: Route}} */
export function parseHash(hash) {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [name = '', ...rest] = path.split('/').map(decoded)
  return { name: name in VIEWS ? name : START, route: { path: rest, query: new URLSearchParams(query) } }
}

/** Load the module of a view, its style sheets and its texts. @param {string} name one of VIEWS @returns {Promise<ViewModule>} */
export async function load(name) {
  const texts = name === START ? null : loadFurtherTexts()
  const sheets = (VIEWS[name]?.sheets ?? []).map(addStyles)
  const [view] = await Promise.all([import(`./${name}/view.js`), texts, ...sheets])
  return view
}

/** Remove the style sheets of all views but this one. @param {string} name */
export function removeStyles(name) {
  /** @type {NodeListOf<HTMLLinkElement>} */
  const sheets = document.querySelectorAll('link[data-sheet]')
  for (const sheet of sheets) if (!VIEWS[name]?.sheets.includes(sheet.dataset['sheet'] ?? '')) sheet.remove()
}

/** Add a style sheet, once, and wait until it is there; if it fails, the view works without it. @param {string} name */
function addStyles(name) {
  if (document.querySelector(`link[data-sheet=${name}]`)) return undefined
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: styleAddress(name) })
  link.dataset['sheet'] = name
  document.head.append(link)
  return new Promise((resolve) => {
    link.onload = resolve
    link.onerror = () => (link.remove(), resolve(null))
  })
}

/** @param {string} name of a style sheet */
export function styleAddress(name) {
  return new URL(`../style/${name}.css`, import.meta.url).href
}

/** @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
