/** The stock: what is low, out of stock or to buy, and what moved, by whom; each change can be undone. */

import { address, ask } from '../api.js'
import { element } from '../dom.js'
import { text } from '../language.js'
import { openScanned, showProduct } from '../open_scanned.js'
import { ExportMenu } from '../export_menu.js'
import { movements } from './movements.js'
import { shortStock } from './short_stock.js'
import { draw, html } from '../ui.js'
import { whileVisible } from '../while_visible.js'

/**
 * @param {import('../router.js').Route} route
 * @returns {import('../router.js').View}
 */
export function open({ query }) {
  const ended = new AbortController()
  const { signal } = ended
  const shown = Object.fromEntries(query)
  const filtered = (/** @type {Record<string, string>} */ changed) =>
    history.replaceState(null, '', address('#stock', Object.assign(shown, changed)))
  const choose = (/** @type {string} */ list) => {
    node.dataset['list'] = list
    filtered({ list: list === 'low' ? '' : list })
  }
  const list = query.get('list') ?? ''
  const short = shortStock(list, choose, signal)
  const moved = movements(query, filtered, signal, () => void short.load())
  const title = element('h1', null, text('view.stock'))
  const node = element(
    'div',
    { class: 'view stock', 'data-list': list },
    element('div', { class: 'row apart' }, title, draw(html`<${ExportMenu} path="/api/inventory/export" />`).node),
    short.node,
    moved.node,
  )
  void short.load()
  whileVisible(refresher(short.load, moved.refresh, signal), signal)
  return {
    node,
    title: text('view.stock'),
    scan: (code) => void openScanned(code, moved.isTyped, signal, showProduct),
    close: () => ended.abort(),
  }
}

/**
 * Return a function that refreshes both lists if anything has moved since its last call.
 *
 * @param {() => Promise<void>} loadShort
 * @param {() => Promise<unknown>} refreshMoved
 * @param {AbortSignal} signal
 */
function refresher(loadShort, refreshMoved, signal) {
  let newest = -1
  return async () => {
    const [last] = await ask('GET', '/api/inventory/changes', { query: { limit: 1 }, signal })
    if ((last?.id ?? 0) === newest) return
    await Promise.all([loadShort(), refreshMoved()])
    newest = last?.id ?? 0
  }
}
