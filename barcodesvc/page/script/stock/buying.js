/** The list to buy: grouped by a detail that the shop chooses, such as the supplier; printed, handed on, or saved as a file. */

import { address, ask } from '../api.js'
import { moment, number } from '../formats.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { openScanned, showProduct } from '../open_scanned.js'
import { saveFile } from '../save_file.js'
import { settings } from '../settings.js'
import { Button, Failure, html, Icon, Loading, Select, useRequest, viewOf } from '../ui.js'

/** @typedef {import('../types.js').Purchase} Purchase */

/** @returns {import('../router.js').View} */
export function openBuying() {
  const ended = new AbortController()
  return viewOf(html`<${Buying} />`, {
    title: text('stock.buy'),
    scan: (code) => void openScanned(code, () => false, ended.signal, showProduct),
    close: () => ended.abort(),
  })
}

function Buying() {
  const query = { group_by: settings.buyingGroup.value }
  const load = (/** @type {AbortSignal} */ ended) => ask('GET', '/api/inventory/reorder', { query, signal: ended })
  const { data, error, again } = useRequest(load, [query.group_by])
  const names = useRequest((ended) => ask('GET', '/api/products/attributes', { signal: ended }), []).data ?? []
  const purchases = /** @type {Purchase[]} */ (data ?? [])
  return html`
    <div class="view buying">
      <a class="back" href="#stock"><${Icon} name="back" />${text('view.stock')}</a>
      <div class="row apart">
        <h1>${text('stock.buy')}</h1>
        <${Actions} purchases=${purchases} query=${query} />
      </div>
      <section class="card">
        ${names.length > 0 && html`<${GroupChoice} names=${names} />`}
        <p class="soft printed-only">${moment(new Date(), new Date(0))}</p>
        ${error ? html`<${Failure} error=${error} again=${again} />` : !data && html`<${Loading} />`}
        ${data && !error && purchases.length === 0 && html`<p class="soft">${text('stock.buy.none')}</p>`}
        ${!error && purchases.length > 0 && html`<${Purchases} purchases=${purchases} />`}
      </section>
    </div>`
}

/** @param {{names: string[]}} props */
function GroupChoice({ names }) {
  const group = settings.buyingGroup
  const known = group.value && !names.includes(group.value) ? [group.value, ...names] : names
  const options = [['', text('stock.buy.group.none')], ...known.map((name) => [name, name])]
  return html`<${Select} label=${text('stock.buy.group')} value=${group} options=${options} />`
}

/** @param {{purchases: Purchase[]}} props */
function Purchases({ purchases }) {
  const all = groupsOf(purchases)
  return html`
    <table>
      <thead>
        <tr>
          <th scope="col">${text('product')}</th>
          <th scope="col" class="number">${text('product.current_level')}</th>
          <th scope="col" class="number">${text('stock.buy.amount')}</th>
        </tr>
      </thead>
      ${all.map(
        ([group, members]) => html`
          <tbody key=${group}>
            ${all.length > 1 && html`<${GroupHead} group=${group} />`}
            ${members.map((each) => html`<${PurchaseRow} key=${each.product_id} ...${each} />`)}
          </tbody>`,
      )}
    </table>`
}

/** @param {{group: string}} props */
function GroupHead({ group }) {
  return html`<tr class="group"><th scope="rowgroup" colspan="3"><bdi>${group || text('stock.buy.others')}</bdi></th></tr>`
}

/** @param {Purchase} purchase */
function PurchaseRow({ product_id, product_code, description, current_level, order_quantity, unit_of_measure }) {
  return html`
    <tr>
      <td>
        <a class="product-link" href=${`#products/${product_id}`}>
          <bdi class="clamped">${description}</bdi>
          <span class="code soft"><bdi>${product_code}</bdi></span>
        </a>
      </td>
      <td class="number">${number(current_level)}</td>
      <td class="number"><strong>${number(order_quantity)}</strong> <span class="soft">${unit_of_measure}</span></td>
    </tr>`
}

/**
 * Return purchases by their groups, in the order of the service.
 *
 * @param {readonly Purchase[]} purchases
 * @returns {[string, Purchase[]][]}
 */
export function groupsOf(purchases) {
  /** @type {Map<string, Purchase[]>} */
  const groups = new Map()
  for (const each of purchases) groups.set(each.group ?? '', [...(groups.get(each.group ?? '') ?? []), each])
  return [...groups]
}

/**
 * Return the list as text, a line for each product, under the names of the groups.
 *
 * @param {readonly Purchase[]} purchases
 * @param {(value: number) => string} [shown]
 */
export function asText(purchases, shown = number) {
  const line = (/** @type {Purchase} */ each) =>
    `${shown(each.order_quantity)} × ${each.description} (${each.product_code})`
  return groupsOf(purchases)
    .map(([group, members]) => [...(group ? [`${group}:`] : []), ...members.map(line)].join('\n'))
    .join('\n\n')
}

/** @param {{purchases: Purchase[], query: Record<string, string>}} props */
function Actions({ purchases, query }) {
  const href = address('/api/inventory/reorder/export', { ...query, format: 'csv' })
  const canShare = typeof navigator.share === 'function'
  const canHandOn = canShare || Boolean(navigator.clipboard)
  return html`
    <div class="row">
      <${Button} kind="main" icon="print" onclick=${() => window.print()}>${text('labels.print')}<//>
      ${canHandOn && html`<${Button} onclick=${() => handOn(asText(purchases))}>${text(canShare ? 'stock.share' : 'stock.copy')}<//>`}
      <a class="button" href=${href} download onclick=${saveFile}><${Icon} name="download" />${text('export.csv')}</a>
    </div>`
}

/** Share a list, or copy it where the browser does not share. @param {string} list */
function handOn(list) {
  const shared = navigator.share?.({ title: text('stock.buy'), text: list })
  if (shared) return shared.catch(() => undefined) // cancelled
  return navigator.clipboard.writeText(list).then(
    () => announce(text('stock.copied')),
    () => announce(text('failed'), 'bad'),
  )
}
