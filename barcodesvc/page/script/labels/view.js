/**
 * The view of labels, which scans and addresses fill with products.
 *
 * `#labels?products=1,2,3` names products by their numbers, so that other views can print what they show.
 */

import { ask, Refusal } from '../api.js'
import { InTurn } from '../in_turn.js'
import { text } from '../language.js'
import { announce, expire } from '../notices.js'
import { idsOf, productsWithIds } from '../products/products_by_id.js'
import { resolveScan } from '../resolve_scan.js'
import { bad, good } from '../sounds.js'
import { errorText, Failure, html, Loading, useRequest, viewOf } from '../ui.js'
import { selection } from './selection.js'
import { Workbench } from './workbench.js'

/**
 * What products come from, and what ends with the view. `turns` are scans and prints, so that a print has what was scanned
 * before it, and nothing else.
 *
 * @typedef {{turns: InTurn, add: (product: unknown) => void, scan: (code: string, type?: string) => void, signal: AbortSignal}} Doing
 */

/**
 * @param {import('../router.js').Route} route
 * @returns {import('../router.js').View}
 */
export function open({ query }) {
  const ended = new AbortController()
  const { signal } = ended
  const turns = new InTurn()
  const add = (/** @type {any} */ product) => void turns.take(async () => choose(await product))
  const scan = (/** @type {string} */ code, type = '') => add(found(code, type, signal))
  return viewOf(html`<${Labels} named=${query.get('products')} doing=${{ turns, add, scan, signal }} />`, {
    title: text('view.labels'),
    scan,
    close: () => ended.abort(),
  })
}

/** @param {{named: string | null, doing: Doing}} props */
function Labels({ named, doing }) {
  const { data, error, again } = useRequest(async (signal) => {
    const names = ['codes/sheets', 'codes/formats', 'codes/layouts', 'printers']
    const lists = names.map((name) => ask('GET', `/api/${name}`, { signal }))
    const [sheets, formats, saved, printers] = await Promise.all([...lists, chooseNamed(named, signal)])
    return { sheets, formats, saved, printers }
  }, [])
  return html`
    <div class="view labels" aria-busy=${data || error ? undefined : 'true'}>
      ${data ? html`<${Workbench} known=${data} doing=${doing} />` : html`<h1>${text('view.labels')}</h1>`}
      ${!data && (error ? html`<${Failure} error=${error} again=${again} />` : html`<${Loading} />`)}
    </div>`
}

/**
 * Choose the products that the address names. It names none after that: loading the page again keeps the copies.
 *
 * @param {string | null} named
 * @param {AbortSignal} signal
 */
async function chooseNamed(named, signal) {
  const ids = idsOf(named)
  if (!ids.length) return
  const { hash } = location
  const products = await productsWithIds(ids, signal)
  selection.choose(products)
  // a person may have gone back meanwhile
  if (location.hash === hash) history.replaceState(null, '', '#labels')
  const count = ids.length - products.length
  if (count) announce(text('labels.gone', { count }), 'bad')
}

/** Add a product, if there is one. @param {any} product */
function choose(product) {
  if (!product) return
  if (selection.isPrinted) announce(text('labels.begun'))
  selection.add(product)
}

/**
 * Return the product of a scan; without one, say why and return null.
 *
 * @param {string} code
 * @param {string} type its symbology, if the camera has read it, or empty
 * @param {AbortSignal} signal
 */
async function found(code, type, signal) {
  try {
    const product = await resolveScan(code, signal, type)
    good()
    expire()
    return product
  } catch (error) {
    if (signal.aborted) return null
    bad()
    const isUnknown = error instanceof Refusal && error.details.reason === 'no_product_matches'
    announce(isUnknown ? text('labels.unknown', { code }) : errorText(error), 'bad')
    return null
  }
}
