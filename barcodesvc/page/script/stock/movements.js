/**
 * What moved, by whom: filtered by day, name and product.
 *
 * Rule: the filter is in the address of the view, so that the back button leads to the same list. Without a day, it begins
 * with today, which is another day after midnight.
 */

import { ask, Refusal } from '../api.js'
import { text } from '../language.js'
import { addNewer, MovementList } from '../movement_list.js'
import { announce, expire } from '../notices.js'
import { ProductSearch } from '../products/search.js'
import { resolveScan } from '../resolve_scan.js'
import { SeenValues, withSeen } from '../seen_values.js'
import { bad, good } from '../sounds.js'
import { boundsOf, dayOf } from '../typed_values.js'
import { Button, errorText, html, signal as signalOf, useEffect, useRef, useRequest, useSignal } from '../ui.js'

/** A `from` that is no day: all movements. */
const ANY = 'any'

/** @typedef {import('../types.js').Movement} Movement */
/** @template Value @typedef {import('../types.js').Signal<Value>} Signal */

/**
 * Return the filter of an address. `from` is empty for today; `who` is what its field contains, and `by` the name that counts.
 *
 * @param {URLSearchParams} query
 */
export function filterOf(query) {
  const by = query.get('who') ?? ''
  const [from, to] = [signalOf(query.get('from') ?? ''), signalOf(query.get('to') ?? '')]
  return { from, to, by: signalOf(by), who: signalOf(by), product: signalOf(query.get('product') ?? '') }
}

/** @typedef {ReturnType<typeof filterOf>} Filter */

/**
 * Return the query of a filter at this moment.
 *
 * @param {Filter} filter
 * @param {Date} [now]
 */
export function queryOf({ from, to, by, product }, now = new Date()) {
  const day = from.value === ANY ? '' : from.value || dayOf(now)
  const days = { from_date: boundsOf(day).begin, to_date: boundsOf(to.value).end }
  return { ...days, updated_by: by.value, product_id: product.value }
}

/** @param {{filter: Filter, search: Signal<string>, changes: Signal<number>, signal: AbortSignal}} props */
export function Movements({ filter, search, changes, signal }) {
  const movements = useSignal(/** @type {readonly Movement[]} */ ([]))
  const authors = useSignal(/** @type {readonly string[]} */ ([]))
  const load = (/** @type {object} */ place, /** @type {AbortSignal} */ ended = signal) =>
    ask('GET', '/api/inventory/changes', { query: { ...place, ...queryOf(filter) }, signal: ended })
  useEffect(() => {
    if (changes.value) void addNewer(movements, load).catch(() => undefined)
  }, [changes.value])
  useEffect(() => {
    authors.value = withSeen(
      authors.value,
      movements.value.map(({ updated_by }) => updated_by),
    )
  }, [movements.value])
  const { from, to, by, who, product } = filter
  const choose = (/** @type {string} */ name) => (by.value = who.value = name)
  return html`
    <section class="card movements">
      <h2>${text('stock.moved')}</h2>
      <div class="row filters">
        <${Day} label=${text('stock.from')} value=${from.value === ANY ? '' : from.value || dayOf(new Date())}
          changed=${(/** @type {string} */ day) => (from.value = day === dayOf(new Date()) ? '' : day || ANY)} />
        <${Day} label=${text('stock.to')} value=${to.value} changed=${(/** @type {string} */ day) => (to.value = day)} />
        <${SeenValues} id="authors" label=${text('change.who')} typed=${who} seen=${authors.value} choose=${choose} />
        <${ProductChoice} product=${product} search=${search} signal=${signal} />
      </div>
      <${MovementList} movements=${movements} load=${load} none=${text('stock.moved.none')}
        inputs=${[from.value, to.value, by.value, product.value]} undone=${() => void changes.value++} />
    </section>`
}

/** @param {{label: string, value: string, changed: (day: string) => void}} props */
function Day({ label, value, changed }) {
  const set = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) => changed(currentTarget.value)
  return html`<label class="day">${label}<input type="date" value=${value} onchange=${set} /></label>`
}

/**
 * The one product whose movements are shown, or the search for it.
 *
 * @param {{product: Signal<string>, search: Signal<string>, signal: AbortSignal}} props
 */
function ProductChoice({ product, search, signal }) {
  const field = useRef(null)
  const load = (/** @type {AbortSignal} */ ended) => {
    if (!product.value) return Promise.resolve(null)
    return ask('GET', `/api/products/${encodeURIComponent(product.value)}`, { signal: ended })
  }
  const { data, error } = useRequest(load, [product.value])
  const choose = (/** @type {{id: number}} */ { id }) => (product.value = String(id))
  const clear = () => (product.value = '')
  useEffect(() => void (error instanceof Refusal && clear()), [error])
  const scanned = async (/** @type {string} */ code) => {
    try {
      choose(await resolveScan(code, signal))
      good()
      expire()
    } catch (problem) {
      if (signal.aborted) return
      bad()
      announce(errorText(problem), 'bad')
    }
  }
  const chosen = html`
    <div class="row only">
      <span class="grow"><bdi>${data?.description}</bdi>${' '}<bdi class="code soft">${data?.product_code}</bdi></span>
      <${Button} onclick=${clear}>${text('stock.all-products')}<//>
    </div>`
  return html`
    <div class="grow labelled">
      <span>${text('product')}</span>
      ${product.value ? chosen : html`<${ProductSearch} typed=${search} field=${field} choose=${choose} scanned=${scanned} />`}
    </div>`
}
