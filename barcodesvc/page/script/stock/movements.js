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
import { productSearch } from '../products/search.js'
import { resolveScan } from '../resolve_scan.js'
import { SeenValues, withSeen } from '../seen_values.js'
import { bad, good } from '../sounds.js'
import { boundsOf, dayOf } from '../typed_values.js'
import { Button, errorText, html, Placed, signal as signalOf, useEffect, useRef, useRequest, useSignal } from '../ui.js'

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
  const known = useSignal(/** @type {import('../types.js').Product | null} */ (null))
  const choose = (/** @type {any} */ found) => {
    known.value = found
    product.value = String(found?.id ?? '')
  }
  const missing = product.value && String(known.value?.id) !== product.value ? product.value : ''
  const { data, error } = useRequest(
    (ended) =>
      missing ? ask('GET', `/api/products/${encodeURIComponent(missing)}`, { signal: ended }) : Promise.resolve(null),
    [missing],
  )
  useEffect(() => {
    if (missing && data) known.value = data
    if (error instanceof Refusal) choose(null)
  }, [data, error])
  const place = useRef(/** @type {HTMLElement | null} */ (null))
  place.current ??= searchOf(choose, search, signal)
  if (!product.value)
    return html`<div class="grow labelled"><span>${text('product')}</span><${Placed} node=${place.current} /></div>`
  return html`
    <div class="grow labelled">
      <span>${text('product')}</span>
      <div class="row only">
        <span class="grow">
          <bdi>${known.value?.description}</bdi>${' '}<bdi class="code soft">${known.value?.product_code}</bdi>
        </span>
        <${Button} onclick=${() => choose(null)}>${text('stock.all-products')}<//>
      </div>
    </div>`
}

/**
 * Return the search; `search` follows what is typed into it.
 *
 * @param {(product: any) => void} choose
 * @param {Signal<string>} search
 * @param {AbortSignal} signal
 */
function searchOf(choose, search, signal) {
  const scanned = async (/** @type {string} */ code) => {
    try {
      choose(await resolveScan(code, signal))
      good()
      expire()
    } catch (error) {
      if (signal.aborted) return
      bad()
      announce(errorText(error), 'bad')
    }
  }
  const taken = (/** @type {any} */ product) => ((search.value = ''), choose(product))
  const node = productSearch(taken, (code) => void ((search.value = ''), scanned(code)), signal)
  node.addEventListener('input', () => (search.value = node.querySelector('input')?.value ?? ''))
  return node
}
