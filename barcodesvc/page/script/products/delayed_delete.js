/** Deletes products after a while, in which a button takes it back; see pending_delete.js. */

import { ask } from '../api.js'
import { element } from '../dom.js'
import { text } from '../language.js'
import { withEach } from './many_requests.js'
import { announce } from '../notices.js'
import { DELAY, PendingDelete } from './pending_delete.js'
import { symbol } from '../symbols.js'
import { errorText } from '../failure.js'

/** @typedef {{id: number, product_code: string, description: string}} Product */

/**
 * @param {object} told
 * @param {() => void} told.changed called when other products are about to be deleted, and after they were
 * @param {(products: Product[]) => void} told.kept called with those that were taken back
 * @param {AbortSignal} told.signal ends it: what was not sent until then stays
 */
export function delayedDelete({ changed, kept, signal }) {
  const says = element('span', { class: 'grow', role: 'status' })
  const undo = element('button', { type: 'button', onclick: () => keep() }, symbol('undo'), text('booking.undo'))
  const node = element('div', { class: 'row pending-delete', hidden: true }, says, undo)
  /** @type {PendingDelete<Product>} */
  const pending = new PendingDelete((products) => void send(products))
  signal.addEventListener('abort', leave)

  /** @param {Product[]} products */
  function begin(products) {
    pending.begin(products)
    show()
    changed()
    undo.focus({ preventScroll: true })
  }

  function keep() {
    const products = pending.cancel()
    show()
    kept(products)
  }

  function leave() {
    const count = pending.cancel().length
    if (count) announce(text('products.kept', { count }), 'wait')
  }

  function show() {
    const count = pending.items.length
    node.hidden = count === 0
    says.textContent = count ? text('products.deleting', { count, seconds: DELAY / 1000 }) : ''
  }

  /** @param {Product[]} products */
  async function send(products) {
    show()
    const failed = await withEach(products, ({ id }) => ask('DELETE', `/api/products/${id}`), signal)
    const count = products.length - failed.length
    if (count) announce(text('products.deleted', { count }))
    const [first] = failed
    if (first && !signal.aborted) announce(`${first.item.product_code}: ${errorText(first.error)}`, 'bad')
    if (!signal.aborted) changed()
  }

  /** Whether a product is about to be deleted. @param {number} id */
  const has = (id) => pending.items.some((each) => each.id === id)
  return { node, begin, has }
}
