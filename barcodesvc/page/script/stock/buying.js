/** The list to buy: grouped by a detail that the shop chooses, such as the supplier; printed, handed on, or saved as a file. */

import { address, ask } from '../api.js'
import { moment, number } from '../formats.js'
import { text } from '../language.js'
import { announce } from '../in_front.js'
import { scanOpener } from '../open_scanned.js'
import { saveFile } from '../lists.js'
import { settings } from '../settings.js'
import { Button, Failure, html, Icon, Loading, Select, useRequest, viewOf } from '../ui.js'

/** @typedef {import('../types.js').Purchase} Purchase */

/** @returns {import('../router.js').View} */
export function openBuying() {
  const ended = new AbortController()
  return viewOf(html`<${Buying} />`, {
    title: text('stock.buy'),
    scan: scanOpener(ended.signal),
    close: () => ended.abort(),
  })
}

function Buying() {
  const group = settings.buyingGroup.value
  const query = { group_by: group }
  const { data, error, again } = useRequest(
    (signal) => ask('GET', '/api/inventory/reorder', { query, signal }),
    [group],
  )
  const names = useRequest((signal) => ask('GET', '/api/products/attributes', { signal }), []).data ?? []
  const purchases = /** @type {Purchase[]} */ (error ? [] : (data ?? []))
  const options = [...new Set([...names, ...(group ? [group] : [])])].map((name) => [name, name])
  const canShare = typeof navigator.share === 'function'
  return html`
    <div class="view buying">
      <a class="back" href="#stock"><${Icon} name="back" />${text('view.stock')}</a>
      <div class="row apart">
        <h1>${text('stock.buy')}</h1>
        <div class="row">
          <${Button} kind="main" icon="print" onclick=${() => window.print()}>${text('labels.print')}<//>
          ${(canShare || navigator.clipboard) && html`<${Button} onclick=${() => handOn(asText(purchases))}>${text(canShare ? 'stock.share' : 'stock.copy')}<//>`}
          <a class="button" href=${address('/api/inventory/reorder/export', { ...query, format: 'csv' })} download onclick=${saveFile}>
            <${Icon} name="download" />${text('export.csv')}
          </a>
        </div>
      </div>
      <section class="card">
        ${options.length > 0 && html`<${Select} label=${text('stock.buy.group')} value=${settings.buyingGroup} options=${[['', text('stock.buy.group.none')], ...options]} />`}
        <p class="soft printed-only">${moment(new Date(), new Date(0))}</p>
        ${error ? html`<${Failure} error=${error} again=${again} />` : !data && html`<${Loading} />`}
        ${data?.length === 0 && !error && html`<p class="soft">${text('stock.buy.none')}</p>`}
        ${purchases.length > 0 && html`<${Purchases} groups=${groupsOf(purchases)} />`}
      </section>
    </div>`
}

/** @param {{groups: [string, Purchase[]][]}} props */
function Purchases({ groups }) {
  const row = (/** @type {Purchase} */ each) => html`
    <tr key=${each.product_id}>
      <td>
        <a class="product-link" href=${`#products/${each.product_id}`}>
          <bdi class="clamped">${each.description}</bdi>
          <span class="code soft"><bdi>${each.product_code}</bdi></span>
        </a>
      </td>
      <td class="number">${number(each.current_level)}</td>
      <td class="number"><strong>${number(each.order_quantity)}</strong> <span class="soft">${each.unit_of_measure}</span></td>
    </tr>`
  return html`
    <table>
      <thead>
        <tr>
          <th scope="col">${text('product')}</th>
          <th scope="col" class="number">${text('product.current_level')}</th>
          <th scope="col" class="number">${text('stock.buy.amount')}</th>
        </tr>
      </thead>
      ${groups.map(
        ([group, members]) => html`
          <tbody key=${group}>
            ${groups.length > 1 && html`<tr class="group"><th scope="rowgroup" colspan="3"><bdi>${group || text('stock.buy.others')}</bdi></th></tr>`}
            ${members.map(row)}
          </tbody>`,
      )}
    </table>`
}

/** Return purchases by their groups, in the order of the service. @param {readonly Purchase[]} purchases @returns {[string, Purchase[]][]} */
export function groupsOf(purchases) {
  const names = [...new Set(purchases.map(({ group = '' }) => group))]
  return names.map((name) => [name, purchases.filter(({ group = '' }) => group === name)])
}

/** Return the list as text, a line for each product, under the names of the groups. @param {readonly Purchase[]} purchases */
export function asText(purchases, shown = number) {
  const line = (/** @type {Purchase} */ { order_quantity, description, product_code }) =>
    `${shown(order_quantity)} × ${description} (${product_code})`
  return groupsOf(purchases)
    .map(([group, members]) => [...(group ? [`${group}:`] : []), ...members.map(line)].join('\n'))
    .join('\n\n')
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
