/** The list of what to buy: printed, shared, copied, or saved as CSV. */

import { envelope } from '../api.js'
import { asCsv, asText, purchasesOf } from './buying_list.js'
import { element, keyed } from '../dom.js'
import { moment, number } from '../formats.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { symbol } from '../symbols.js'
import { productLink } from '../products/cells.js'

/** Levels that the service is asked for of each kind. */
const MOST = 500

/** @typedef {import('./buying_list.js').Purchase} Purchase */

/** @param {AbortSignal} signal */
export function buyingList(signal) {
  /** @type {Purchase[]} */
  let purchases = []
  const rows = element('tbody')
  const partly = element('p', { class: 'soft', hidden: true }, text('stock.buy.first', { count: MOST }))
  const date = element('p', { class: 'soft printed-only' })
  const head = element(
    'tr',
    null,
    element('th', { scope: 'col' }, text('product')),
    element('th', { scope: 'col', class: 'number' }, text('level')),
    element('th', { scope: 'col', class: 'number' }, text('stock.buy.amount')),
  )
  const node = element(
    'div',
    { class: 'stack buying' },
    actionsFor(() => purchases),
    date,
    element('table', null, element('thead', null, head), rows),
    partly,
  )

  async function load() {
    const kinds = await Promise.all(
      ['low', 'out'].map((stock) =>
        envelope('GET', '/api/inventory', { query: { stock, page: 1, limit: MOST }, signal }),
      ),
    )
    purchases = purchasesOf(kinds.flatMap(({ data }) => data))
    partly.hidden = kinds.every(({ pagination }) => pagination.total <= MOST)
    date.textContent = `${text('stock.buy')} · ${moment(new Date(), new Date(0))}`
    keyed(
      rows,
      purchases,
      (purchase) => JSON.stringify(purchase),
      (purchase, existing) => existing ?? purchaseRow(purchase),
    )
    return purchases
  }
  return { node, load, count: () => purchases.length }
}

/** @param {Purchase} purchase */
function purchaseRow({ product_id, product_code, description, current_level, amount }) {
  return element(
    'tr',
    null,
    element('td', null, productLink(product_id, product_code, description)),
    element('td', { class: 'number' }, number(current_level)),
    element('td', { class: 'number' }, element('strong', null, number(amount))),
  )
}

/** @param {() => Purchase[]} purchases */
function actionsFor(purchases) {
  const share = sharing(() => asText(purchases(), number))
  return element(
    'div',
    { class: 'row' },
    action('print', 'labels.print', () => window.print()),
    share && action('', share.key, share.act),
    action('download', 'export.csv', () => save(asCsv(purchases(), headers()))),
  )
}

/**
 * @param {string} sign
 * @param {string} key
 * @param {() => void} onclick
 */
function action(sign, key, onclick) {
  return element('button', { type: 'button', onclick }, sign && symbol(sign), text(key))
}

function headers() {
  return ['product.product_code', 'product.description', 'level', 'stock.buy.amount'].map((key) => text(key))
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

/** @param {string} csv */
function save(csv) {
  const href = URL.createObjectURL(new Blob([csv], { type: 'text/csv' }))
  element('a', { href, download: `${text('stock.buy')}.csv` }).click()
  setTimeout(() => URL.revokeObjectURL(href))
}
