/**
 * The last movements of the shop, for a device that has booked nothing yet.
 *
 * Rule: they are an extra. A service that cannot be reached, or needs a key first, is left alone.
 */

import { address } from '../api.js'
import { element, fill } from '../dom.js'
import { text } from '../language.js'
import { changeLine } from './panel.js'

/** Movements that are shown. */
const MOST = 8

/** @param {AbortSignal} signal */
export function lastMovements(signal) {
  const list = element('ol', { class: 'changes' })
  const heading = element('h2', null, element('a', { href: '#stock' }, text('stock.moved')))
  const node = element('section', { class: 'card movements-side', hidden: true }, heading, list)

  async function load() {
    const response = await fetch(address('/api/inventory/changes', { limit: MOST }), { signal })
    if (!response.ok) return
    const { data } = await response.json()
    fill(list, ...data.map(lineOf))
    node.hidden = data.length === 0
  }
  load().catch(() => undefined)
  return node
}

/** @param {import('../products/change_list.js').Change} change */
function lineOf(change) {
  const { product_id, description = '' } = change
  return changeLine(change, element('a', { href: `#products/${product_id}` }, element('bdi', null, description)))
}
