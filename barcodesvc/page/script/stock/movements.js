/**
 * What moved, by whom: filtered by day, name and product.
 *
 * Rule: the filters are in the address of the view, so that the back button leads to the same list.
 */

import { ask, Refusal } from '../api.js'
import { element, fill } from '../dom.js'
import { text } from '../language.js'
import { announce, expire } from '../notices.js'
import { resolveScan } from '../resolve_scan.js'
import { bad, good } from '../sounds.js'
import { boundsOf, dayOf } from '../typed_values.js'
import { errorText } from '../failure.js'
import { addNewer, MovementList } from '../movement_list.js'
import { productSearch } from '../products/search.js'
import { SeenValues, withSeen } from '../seen_values.js'
import { draw, effect, html, signal as signalOf } from '../ui.js'

/** @typedef {{id: number, product_code: string, description: string}} Product */

/**
 * @param {URLSearchParams} query the filters of the address
 * @param {(filters: Record<string, string>) => void} filtered called with others for the address
 * @param {AbortSignal} signal
 * @param {() => void} undone called when a change has been undone
 */
export function movements(query, filtered, signal, undone) {
  const filter = { product_id: query.get('product') ?? '', updated_by: query.get('who') ?? '' }
  const from = dayField(query.get('from') ?? dayOf(new Date()))
  const to = dayField(query.get('to') ?? '')
  const [turn, typed] = [signalOf(0), signalOf(filter.updated_by)]
  const authors = signalOf(/** @type {readonly string[]} */ ([]))
  const found = signalOf(/** @type {readonly import('../types.js').Movement[]} */ ([]))
  const load = (/** @type {object} */ place, ending = signal) => {
    const days = { from_date: boundsOf(from.value).begin, to_date: boundsOf(to.value).end }
    return ask('GET', '/api/inventory/changes', { query: { ...place, ...filter, ...days }, signal: ending })
  }
  effect(() => void (authors.value = withSeen(authors.peek(), authorsOf(found.value))))
  const List = () => html`
    <${MovementList} movements=${found} load=${load} inputs=${[turn.value]} none=${text('stock.moved.none')} undone=${undone} />`
  const list = draw(html`<${List} />`)
  const chooseAuthor = (/** @type {string} */ author) => author !== filter.updated_by && choose({ updated_by: author })
  const Who = () => html`
    <${SeenValues} id="authors" label=${text('change.who')} typed=${typed} seen=${authors.value} choose=${chooseAuthor} />`
  const who = draw(html`<${Who} />`)
  signal.addEventListener('abort', () => (list.end(), who.end()))
  const product = productChoice((product_id) => choose({ product_id }), signal)
  if (filter.product_id) void product.open(filter.product_id)

  /** @param {string} value */
  function dayField(value) {
    return element('input', { type: 'date', value, onchange: () => choose({}) })
  }

  /** @param {Partial<typeof filter>} changed */
  function choose(changed) {
    Object.assign(filter, changed)
    const begin = from.value === dayOf(new Date()) ? '' : from.value || 'any'
    filtered({ from: begin, to: to.value, who: filter.updated_by, product: filter.product_id })
    turn.value += 1
  }

  const node = element(
    'section',
    { class: 'card movements' },
    element('h2', null, text('stock.moved')),
    element(
      'div',
      { class: 'row filters' },
      element('label', { class: 'day' }, text('stock.from'), from),
      element('label', { class: 'day' }, text('stock.to'), to),
      who.node,
      product.node,
    ),
    list.node,
  )
  return {
    node,
    refresh: () => addNewer(found, load),
    isTyped: () => product.isTyped() || typed.value.trim() !== filter.updated_by,
  }
}

/** @param {readonly import('../types.js').Movement[]} made */
function authorsOf(made) {
  return made.map(({ updated_by }) => updated_by)
}

/**
 * Return the choice of the one product whose movements are shown.
 *
 * @param {(id: string) => void} chosen called with its id, or an empty text for all products
 * @param {AbortSignal} signal
 */
function productChoice(chosen, signal) {
  const only = element('div', { class: 'row only', hidden: true })

  /** @param {Product | null} product */
  function choose(product) {
    show(product)
    chosen(String(product?.id ?? ''))
  }

  /** @param {Product | null} product */
  function show(product) {
    only.hidden = product === null
    search.hidden = product !== null
    fill(
      only,
      product &&
        element(
          'span',
          { class: 'grow' },
          element('bdi', null, product.description),
          ' ',
          element('bdi', { class: 'code soft' }, product.product_code),
        ),
      element('button', { type: 'button', onclick: () => choose(null) }, text('stock.all-products')),
    )
  }

  /** Show the product of the address. @param {string} id */
  async function open(id) {
    try {
      show(await ask('GET', `/api/products/${encodeURIComponent(id)}`, { signal }))
    } catch (error) {
      if (error instanceof Refusal) choose(null)
    }
  }

  /** @param {string} code */
  async function scan(code) {
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

  const search = productSearch(choose, (code) => void scan(code), signal)
  const node = element('div', { class: 'grow labelled' }, element('span', null, text('product')), search, only)
  return { node, open, isTyped: () => search.querySelector('input')?.value.trim() !== '' }
}
