/** The stock: what is low or out of stock, and what moved, by whom. `#stock/buy` is the list to buy. */

import { address, ask, envelope } from '../api.js'
import { ExportMenu } from '../export_menu.js'
import { number } from '../formats.js'
import { text } from '../language.js'
import { openScanned, showProduct } from '../open_scanned.js'
import { Pager } from '../pager.js'
import { LevelMark } from '../products/cells.js'
import { Failure, html, Icon, Initial, Loading, Mark, Segments, signal, useEffect, useRequest, viewOf } from '../ui.js'
import { whileVisible } from '../while_visible.js'
import { openBuying } from './buying.js'
import { filterOf, Movements } from './movements.js'

/** Products of one page. */
const PAGE = 10

/** @typedef {import('../types.js').Level} Level */

/**
 * @param {import('../router.js').Route} route
 * @returns {import('../router.js').View}
 */
export function open({ path: [list], query }) {
  if (list === 'buy') return openBuying()
  const ended = new AbortController()
  const shown = stateOf(query)
  const isTyped = () => shown.filter.who.value !== shown.filter.by.value || shown.search.value.trim() !== ''
  whileVisible(refresher(shown, ended.signal), ended.signal)
  return viewOf(html`<${Stock} shown=${shown} ended=${ended.signal} />`, {
    title: text('view.stock'),
    scan: (code) => void openScanned(code, isTyped, ended.signal, showProduct),
    close: () => ended.abort(),
  })
}

/**
 * What the view shows: the list of products and its page, the filter of the movements, what is typed into the search, and
 * how often the stock has changed since.
 *
 * @param {URLSearchParams} query
 */
function stateOf(query) {
  const list = query.get('list') === 'out' ? 'out' : 'low'
  return { list: signal(list), page: signal(1), filter: filterOf(query), search: signal(''), changes: signal(0) }
}

/** @typedef {ReturnType<typeof stateOf>} Shown */

/**
 * Return a function that has the lists loaded again if anything has moved since its last call.
 *
 * @param {Shown} shown
 * @param {AbortSignal} ended
 */
function refresher({ changes }, ended) {
  let newest = -1
  return async () => {
    const [last] = await ask('GET', '/api/inventory/changes', { query: { limit: 1 }, signal: ended })
    if ((last?.id ?? 0) !== newest) changes.value += 1
    newest = last?.id ?? 0
  }
}

/** @param {{shown: Shown, ended: AbortSignal}} props */
function Stock({ shown, ended }) {
  const { list, filter } = shown
  const keepAddress = () => {
    const { from, to, by, product } = filter
    const query = { list: list.value === 'low' ? '' : list.value, from: from.value, to: to.value, who: by.value }
    history.replaceState(null, '', address('#stock', { ...query, product: product.value }))
  }
  useEffect(keepAddress, [list.value, filter.from.value, filter.to.value, filter.by.value, filter.product.value])
  return html`
    <div class="view stock">
      <div class="row apart">
        <h1>${text('view.stock')}</h1>
        <div class="row">
          <a class="button" href="#stock/buy"><${Icon} name="buy" />${text('stock.buy')}</a>
          <${ExportMenu} path="/api/inventory/export" />
        </div>
      </div>
      <${ShortStock} ...${shown} />
      <${Movements} filter=${filter} search=${shown.search} changes=${shown.changes} signal=${ended} />
    </div>`
}

/**
 * The products that are low or out of stock, a page at a time.
 *
 * @param {Shown} shown
 */
function ShortStock({ list, page, changes }) {
  const query = { stock: list.value, page: page.value, limit: PAGE }
  const load = (/** @type {AbortSignal} */ ended) => envelope('GET', '/api/inventory', { query, signal: ended })
  const { data, error, again } = useRequest(load, [list.value, page.value, changes.value])
  const place = data?.pagination
  useEffect(() => {
    if (place?.pages && page.value > place.pages) page.value = place.pages
  }, [place])
  const options = /** @type {[string, string][]} */ ([
    ['low', text('stock.short')],
    ['out', text('products.stock.out')],
  ])
  const first = () => (page.value = 1)
  return html`
    <section class="card short-stock" aria-label=${text('stock.which')}>
      <div class="row apart">
        <${Segments} label=${text('stock.which')} name="list" value=${list} options=${options} changed=${first} />
        <span role="status">
          ${place?.total > 0 && html`<${Mark} kind="wait">${text('products.sum', { count: place.total })}<//>`}
        </span>
      </div>
      ${error ? html`<${Failure} error=${error} again=${again} />` : !data && html`<${Loading} />`}
      ${!error && data?.data.length === 0 && html`<p class="soft">${text(`stock.${list.value}.none`)}</p>`}
      ${
        !error &&
        data?.data.length > 0 &&
        html`
        <ul>${data.data.map((/** @type {Level} */ level) => html`<${ShortRow} key=${level.product_id} ...${level} />`)}</ul>`
      }
      ${place && html`<${Pager} place=${place} go=${(/** @type {number} */ wanted) => (page.value = wanted)} />`}
    </section>`
}

/** @param {Level} level */
function ShortRow({ product_id, product_code, description, current_level, minimum_level }) {
  return html`
    <li class="list-row">
      <${Initial} name=${description} />
      <a class="product-link" href=${`#products/${product_id}`}>
        <bdi class="clamped">${description}</bdi>
        <span class="code soft"><bdi>${product_code}</bdi></span>
      </a>
      <div class="short-level">
        <${LevelMark} level=${current_level} minimum=${minimum_level} />
        ${minimum_level > 0 && html`<span class="soft">${text('stock.minimum')} ${number(minimum_level)}</span>`}
        <strong>${number(current_level)}</strong>
      </div>
    </li>`
}
