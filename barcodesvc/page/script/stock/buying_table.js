/** The list of what to buy, in groups such as suppliers: printed, shared, copied, or saved as CSV. */

import { address, ask } from '../api.js'
import { element, fill } from '../dom.js'
import { moment, number } from '../formats.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { change, settings } from '../settings.js'
import { symbol } from '../symbols.js'
import { productLink } from '../products/cells.js'

/** @typedef {{product_id: number, product_code: string, description: string, current_level: number, order_quantity: number, group: string}} Purchase */

/** @param {AbortSignal} signal */
export function buyingList(signal) {
  /** @type {Purchase[]} */
  let purchases = []
  const rows = element('tbody')
  const date = element('p', { class: 'soft printed-only' })
  const head = element(
    'tr',
    null,
    element('th', { scope: 'col' }, text('product')),
    element('th', { scope: 'col', class: 'number' }, text('level')),
    element('th', { scope: 'col', class: 'number' }, text('stock.buy.amount')),
  )
  const groups = element('select', {
    onchange: () => {
      change({ buyingGroup: groups.value })
      void load()
    },
  })
  const choice = element('label', { class: 'row' }, text('stock.buy.group'), groups)
  const csv = element('a', { class: 'button', download: true }, symbol('download'), text('export.csv'))
  const node = element(
    'div',
    { class: 'stack buying' },
    actionsFor(csv, () => purchases),
    choice,
    date,
    element('table', null, element('thead', null, head), rows),
  )

  async function load() {
    const query = { group_by: settings().buyingGroup }
    const [found, names] = await Promise.all([
      ask('GET', '/api/inventory/reorder', { query, signal }),
      ask('GET', '/api/products/attributes', { signal }),
    ])
    purchases = found
    showNames(names, query.group_by)
    csv.href = address('/api/inventory/reorder/export', { ...query, format: 'csv' })
    date.textContent = `${text('stock.buy')} · ${moment(new Date(), new Date(0))}`
    fill(rows, ...purchases.flatMap((purchase, index) => rowsOf(purchase, purchases[index - 1])))
    return purchases
  }

  /** @param {string[]} names of attributes @param {string} chosen */
  function showNames(names, chosen) {
    choice.hidden = !names.length
    const all = names.includes(chosen) || !chosen ? names : [...names, chosen]
    const options = all.map((name) => element('option', { value: name }, name))
    fill(groups, element('option', { value: '' }, text('stock.buy.group.none')), ...options)
    groups.value = chosen
  }
  return { node, load, count: () => purchases.length }
}

/**
 * Return the row of a product, below the name of its group if it is the first there.
 *
 * @param {Purchase} purchase
 * @param {Purchase} [previous]
 */
function rowsOf({ product_id, product_code, description, current_level, order_quantity, group }, previous) {
  const name = element('tr', null, element('th', { scope: 'rowgroup', colSpan: 3 }, group || text('stock.buy.others')))
  const row = element(
    'tr',
    null,
    element('td', null, productLink(product_id, product_code, description)),
    element('td', { class: 'number' }, number(current_level)),
    element('td', { class: 'number' }, element('strong', null, number(order_quantity))),
  )
  return settings().buyingGroup && group !== previous?.group ? [name, row] : [row]
}

/**
 * @param {HTMLElement} csv
 * @param {() => Purchase[]} purchases
 */
function actionsFor(csv, purchases) {
  const line = (/** @type {Purchase} */ { order_quantity, description, product_code }) =>
    `${number(order_quantity)} × ${description} (${product_code})`
  const share = sharing(() => purchases().map(line).join('\n'))
  const button = (/** @type {string} */ key, /** @type {() => void} */ onclick, /** @type {string} */ sign = '') =>
    element('button', { type: 'button', onclick }, sign && symbol(sign), text(key))
  return element(
    'div',
    { class: 'row' },
    button('labels.print', () => window.print(), 'print'),
    share && button(share.key, share.act),
    csv,
  )
}

/**
 * Return how this browser hands on a text: it shares, or else copies it. Over plain HTTP it can do neither.
 *
 * @param {() => string} list
 */
function sharing(list) {
  if (typeof navigator.share === 'function') {
    const share = () => navigator.share({ title: text('stock.buy'), text: list() }).catch(() => undefined) // cancelled
    return { key: 'stock.share', act: () => void share() }
  }
  if (!navigator.clipboard) return null
  const copy = () =>
    navigator.clipboard.writeText(list()).then(
      () => announce(text('stock.copied')),
      () => announce(text('failed'), 'bad'),
    )
  return { key: 'stock.copy', act: () => void copy() }
}
