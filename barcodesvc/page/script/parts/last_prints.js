/** What was printed last, the newest first, each with a button that prints it again. */

import { element, keyed } from '../dom.js'
import { moment } from '../formats.js'
import { lastOrders } from '../last_orders.js'
import { text } from '../language.js'
import { countOf } from './print_bar.js'

/** Codes that are named of an order. */
const NAMED = 3

/** @typedef {import('../printing.js').Order} Order */

/** @param {(order: Order) => void} again */
export function lastPrints(again) {
  const list = element('ul', { class: 'prints' })
  const node = element('section', { class: 'card last-prints' }, element('h2', null, text('prints.title')), list)

  /** @param {import('../last_orders.js').Printed} printed */
  function row({ order, at }) {
    const says = element(
      'div',
      { class: 'grow' },
      element('div', null, `${moment(at)} · ${text('labels.sum', { count: countOf(order) })}`),
      element('bdi', { class: 'soft' }, [codesOf(order), order.sheet].filter(Boolean).join(' · ')),
    )
    const button = element('button', { type: 'button', onclick: () => again(order) }, text('prints.again'))
    return element('li', { class: 'row apart' }, says, button)
  }

  function show() {
    const orders = lastOrders()
    node.hidden = orders.length === 0
    keyed(
      list,
      orders,
      ({ at }) => at,
      (printed, existing) => existing ?? row(printed),
    )
  }

  show()
  return { node, show }
}

/**
 * Return the codes of the first products, and how many there are besides.
 *
 * @param {Order} order
 */
function codesOf({ products }) {
  const codes = products.slice(0, NAMED).map(({ code }) => code)
  const count = products.length - codes.length
  return [...codes, ...(count ? [text('prints.further', { count })] : [])].join(', ')
}
