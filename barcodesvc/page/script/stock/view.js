/**
 * The stock: what is low or out of stock, and what moved, by whom: filtered by day, name and product. `#stock/buy` is the list
 * to buy.
 *
 * Rule: the filter is in the address of the view, so that the back button leads to the same list. Without a day, it begins
 * with today, which is another day after midnight.
 */

import { address, ask, envelope, Refusal } from '../api.js'
import { ExportMenu, Pager, SeenValues } from '../lists.js'
import { boundsOf, dayOf, number } from '../formats.js'
import { text } from '../language.js'
import { MovementList, newList } from '../movements.js'
import { announce } from '../in_front.js'
import { scanOpener } from '../open_scanned.js'
import { LevelMark } from '../products/level.js'
import { ProductSearch } from '../products/search.js'
import { resolveScan } from '../resolve_scan.js'
import { bad, good } from '../sounds.js'
import { Button, errorText, Failure, html, Icon, Initial, Loading, Mark, Segments, signal } from '../ui.js'
import { useEffect, useMemo, useRequest, useSignal, viewOf } from '../ui.js'
import { whileVisible } from '../while_visible.js'
import { openBuying } from './buying.js'

/** Products of one page. */
const PAGE = 10

/** What the view asks for: `list` is `out`, or empty for low; `from` is a day, `any`, or empty for today. */
const ALL = { list: '', from: '', to: '', who: '', product: '' }

/** @typedef {typeof ALL} Filter */
/** @typedef {import('../types.js').Signal<number>} Count how often the stock has changed */
/** @typedef {(changed: Partial<Filter>) => void} Find */

/** @type {(route: import('../router.js').Route) => import('../router.js').View} */
export function open({ path: [page], query }) {
  if (page === 'buy') return openBuying()
  const ended = new AbortController()
  const list = query.get('list') === 'out' ? 'out' : ''
  const filter = signal({ ...ALL, ...Object.fromEntries(query), list })
  const changes = signal(0)
  let newest = -1
  const look = async () => {
    const [last] = await ask('GET', '/api/inventory/changes', { query: { limit: 1 }, signal: ended.signal })
    if ((last?.id ?? 0) !== newest) changes.value += 1
    newest = last?.id ?? 0
  }
  whileVisible(look, ended.signal)
  return viewOf(html`<${Stock} filter=${filter} changes=${changes} />`, {
    title: text('view.stock'),
    scan: scanOpener(ended.signal),
    close: () => ended.abort(),
  })
}

/** @param {{filter: import('../types.js').Signal<Filter>, changes: Count}} props */
function Stock({ filter, changes }) {
  const find = (/** @type {Partial<Filter>} */ changed) => {
    filter.value = { ...filter.peek(), ...changed }
    history.replaceState(null, '', address('#stock', filter.value))
  }
  return html`
    <div class="view stock">
      <div class="row apart">
        <h1>${text('view.stock')}</h1>
        <div class="row">
          <a class="button" href="#stock/buy"><${Icon} name="buy" />${text('stock.buy')}</a>
          <${ExportMenu} path="/api/inventory/export" />
        </div>
      </div>
      <${ShortStock} list=${filter.value.list} find=${find} changes=${changes} />
      <${Movements} filter=${filter.value} find=${find} changes=${changes} />
    </div>`
}

/** The products that are low or out of stock, a page at a time. @param {{list: string, find: Find, changes: Count}} props */
function ShortStock({ list, find, changes }) {
  const page = useSignal(1)
  const query = { stock: list || 'low', page: page.value, limit: PAGE }
  const load = (/** @type {AbortSignal} */ ended) => envelope('GET', '/api/inventory', { query, signal: ended })
  const { data, error, again } = useRequest(load, [list, page.value, changes.value])
  const levels = /** @type {import('../types.js').Level[]} */ (error ? [] : (data?.data ?? []))
  const place = data?.pagination
  const options = [
    ['', text('stock.short')],
    ['out', text('products.stock.out')],
  ]
  const choose = (/** @type {string} */ chosen) => ((page.value = 1), find({ list: chosen }))
  return html`
    <section class="card short-stock" aria-label=${text('stock.which')}>
      <div class="row apart">
        <${Segments} label=${text('stock.which')} name="list" value=${list} options=${options} changed=${choose} />
        <span role="status">${place?.total > 0 && html`<${Mark} kind="wait">${text('products.sum', { count: place.total })}<//>`}</span>
      </div>
      ${error ? html`<${Failure} error=${error} again=${again} />` : !data && html`<${Loading} />`}
      ${data && !error && !levels.length && html`<p class="soft">${text(place.total ? 'products.past-end' : `stock.${query.stock}.none`)}</p>`}
      <ul>${levels.map((each) => html`<${ShortRow} key=${each.product_id} ...${each} />`)}</ul>
      <${Pager} place=${place} go=${(/** @type {number} */ wanted) => (page.value = wanted)} />
    </section>`
}

/** @param {import('../types.js').Level} level */
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

/** Return the query of a filter at this moment. @param {Filter} filter */
export function queryOf({ from, to, who, product }, now = new Date()) {
  const begin = from === 'any' ? '' : from || dayOf(now)
  return { from_date: boundsOf(begin).begin, to_date: boundsOf(to).end, updated_by: who, product_id: product }
}

/** @param {{filter: Filter, find: Find, changes: Count}} props */
function Movements({ filter, find, changes }) {
  const { from, to, who, product } = filter
  const list = useMemo(newList, [from, to, who, product])
  const load = (/** @type {object} */ place, /** @type {AbortSignal} */ ended) =>
    ask('GET', '/api/inventory/changes', { query: { ...place, ...queryOf(filter) }, signal: ended })
  useEffect(() => {
    if (changes.value) list.wanted.value = { before: 0 }
  }, [changes.value])
  const day = (/** @type {'from' | 'to'} */ name, /** @type {string} */ value) => {
    const changed = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) =>
      find({ [name]: currentTarget.value || (name === 'from' ? 'any' : '') })
    return html`<label class="day">${text(`stock.${name}`)}<input type="date" value=${value} onchange=${changed} /></label>`
  }
  return html`
    <section class="card movements">
      <h2>${text('stock.moved')}</h2>
      <div class="row filters">
        ${day('from', from === 'any' ? '' : from || dayOf(new Date()))} ${day('to', to)}
        <${SeenValues} id="authors" label=${text('change.who')} value=${who} found=${list.shown.value.map(({ updated_by }) => updated_by)}
          choose=${(/** @type {string} */ name) => find({ who: name })} />
        <div class="grow labelled">
          <span>${text('product')}</span>
          <${product ? Chosen : Search} product=${product} choose=${(/** @type {string} */ id) => find({ product: id })} />
        </div>
      </div>
      <${MovementList} list=${list} load=${load} none=${text('stock.moved.none')} undone=${() => void changes.value++} />
    </section>`
}

/** The one product whose movements are shown. @param {{product: string, choose: (id: string) => void}} props */
function Chosen({ product, choose }) {
  const load = (/** @type {AbortSignal} */ ended) =>
    ask('GET', `/api/products/${encodeURIComponent(product)}`, { signal: ended })
  const { data, error } = useRequest(load, [product])
  useEffect(() => void (error instanceof Refusal && choose('')), [error])
  return html`
    <div class="row only">
      <span class="grow"><bdi>${data?.description}</bdi>${' '}<bdi class="code soft">${data?.product_code}</bdi></span>
      <${Button} onclick=${() => choose('')}>${text('stock.all-products')}<//>
    </div>`
}

/** The search for the product whose movements to show. @param {{choose: (id: string) => void}} props */
function Search({ choose }) {
  const take = (/** @type {{id: number}} */ { id }) => choose(String(id))
  const scanned = (/** @type {string} */ code) =>
    resolveScan(code, new AbortController().signal).then(
      (found) => (good(), take(found)),
      (error) => (bad(), announce(errorText(error), 'bad')),
    )
  return html`<${ProductSearch} choose=${take} scanned=${scanned} />`
}
