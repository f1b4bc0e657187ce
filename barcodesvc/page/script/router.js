/**
 * Shows the view that the address names: `#stock`, `#products/12`, `#kiosk?sheet=L7160`.
 *
 * Rule: a view is a module that is loaded when it is first shown. `open` returns what is seen, and `close` ends what
 * it began. A view that takes scans has `scan`; where it has none, a scan opens the start. One with `type` gets what
 * is typed while no field has the focus.
 */

import { element } from './dom.js'

/**
 * @typedef {object} View
 * @property {HTMLElement} node
 * @property {string} title
 * @property {(text: string) => void} [scan]
 * @property {(text: string) => void} [type]
 * @property {() => void} [close]
 *
 * @typedef {{path: string[], query: URLSearchParams}} Way
 * @typedef {{open: (way: Way) => View | Promise<View>}} ViewModule
 */

/** The start, and every other view of the navigation, in its order. */
export const START = 'scan'
export const VIEWS = ['scan', 'labels', 'products', 'stock', 'settings']

/** Views without navigation: nobody leaves them by accident. */
export const ALONE = ['kiosk']

/**
 * Return what an address asks for; an unknown one is the start.
 *
 * @param {string} hash
 * @returns {{name: string, way: Way}}
 */
export function wayOf(hash) {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [name = '', ...rest] = path.split('/').map(decoded)
  const known = [...VIEWS, ...ALONE].includes(name)
  return { name: known ? name : START, way: { path: rest, query: new URLSearchParams(query) } }
}

/** The style sheet of each view that needs more than the page's own. @type {Record<string, string>} */
const SHEETS = { labels: 'labels', kiosk: 'labels', products: 'products', stock: 'products' }

/**
 * Load the module of a view, and its style sheet.
 *
 * @param {string} name one of VIEWS or ALONE
 * @returns {Promise<ViewModule>}
 */
export async function load(name) {
  const sheet = SHEETS[name]
  const [view] = await Promise.all([import(`./views/${name}.js`), sheet ? dress(sheet) : null])
  return view
}

/**
 * Add a style sheet to the page, once.
 *
 * @param {string} name
 * @returns {Promise<unknown>} ended when it is there; without it the view is plain, and works
 */
function dress(name) {
  const address = new URL(`../style/${name}.css`, import.meta.url).href
  if ([...document.querySelectorAll('link')].some((link) => link.href === address)) return Promise.resolve()
  return new Promise((resolve) => {
    document.head.append(element('link', { rel: 'stylesheet', href: address, onload: resolve, onerror: resolve }))
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
