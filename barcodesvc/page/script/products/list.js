/** The catalogue as a list: searched as you type, filtered, sorted, page by page, with actions for the selected. */

import { envelope } from '../api.js'
import { text } from '../language.js'
import { Menu } from '../menu.js'
import { Pager } from '../pager.js'
import { withSeen } from '../seen_values.js'
import { change, settings } from '../settings.js'
import { Button, Check, Failure, html, Icon, Loading, useEffect, useRef, useRequest, useSignal } from '../ui.js'
import { attributesIn, shownAttributes } from './attributes.js'
import { BulkActions } from './bulk_actions.js'
import { Filters } from './filters.js'
import { addressOf, ALL, isFiltered, nextSort, requestOf } from './query.js'
import { ProductTable } from './table.js'

/** @typedef {import('./query.js').ProductQuery} ProductQuery */
/** @typedef {import('../types.js').Children} Children */

/**
 * A list that is not visible waits until it is. `reloads` counts how often the products have changed elsewhere; `starts` is what
 * an empty catalogue offers.
 *
 * @param {{query: import('../types.js').Signal<ProductQuery>, reloads: import('../types.js').Signal<number>, selection: import('./table.js').SelectionSignal, isVisible: boolean, openId: string, scan: (code: string) => void, starts: Children}} props
 */
export function ProductList({ query, reloads, selection, isVisible, openId, scan, starts }) {
  const node = useRef(/** @type {HTMLElement | null} */ (null))
  const asked = useRef(/** @type {unknown[]} */ ([]))
  const categories = useSignal(/** @type {readonly string[]} */ ([]))
  const attributes = useSignal(settings().attributes)
  if (isVisible) asked.current = [addressOf(query.value), reloads.value]
  const load = (/** @type {AbortSignal} */ signal) =>
    envelope('GET', '/api/products', { query: requestOf(query.peek(), new Date()), signal })
  const { data, error, isUnderWay, again } = useRequest(load, asked.current)
  /** @type {import('../types.js').Product[]} */
  const products = data?.data ?? []
  useEffect(() => {
    categories.value = withSeen(
      categories.peek(),
      products.map(({ category }) => category),
    )
  }, [data])

  const find = (/** @type {Partial<ProductQuery>} */ changed) => {
    query.value = { ...query.peek(), page: 1, ...changed }
    history.replaceState(null, '', addressOf(query.value, openId))
  }
  const turn = (/** @type {number} */ page) => {
    find({ page })
    node.current?.scrollIntoView()
  }
  const focus = (/** @type {string} */ selector) => {
    /** @type {HTMLElement | null | undefined} */
    const field = node.current?.querySelector(selector)
    field?.focus({ preventScroll: true })
  }
  const found = data?.pagination
  const filtered = isFiltered(query.value)
  const isEmpty = found?.total === 0 && !filtered
  const names = attributesIn(products)
  const columns = shownAttributes(attributes.value, names)
  const table = html`
    <${ProductTable} ...${{ products, attributes: columns, selection, openId }} query=${query.value}
      sortBy=${(/** @type {string} */ field) => find({ sort: nextSort(query.value.sort, field) })}
      choose=${(/** @type {string} */ category) => find({ category })} />`
  const nothing = isEmpty
    ? html`<${NothingYet} starts=${starts} />`
    : html`<${NothingFound} total=${found?.total} showAll=${() => (find(ALL), focus('.search-text'))} />`

  return html`
    <section class="card catalogue" ref=${node} aria-label=${text('products.list')}>
      ${!isEmpty && html`<${Filters} ...${{ isUnderWay, find, scan }} query=${query.value} categories=${categories.value} />`}
      <${BulkActions} selection=${selection} changed=${() => void reloads.value++} cleared=${() => focus('th input')} />
      <div class="row apart">
        <p class="soft" role="status">${isEmpty || error ? '' : sumOf(found?.total, filtered)}</p>
        <${ColumnChoice} names=${names} shown=${columns} setting=${attributes} />
      </div>
      <div class="fitting results" aria-busy=${isUnderWay ? 'true' : undefined}>
        ${error ? html`<${Failure} error=${error} again=${again} />` : !data ? html`<${Loading} />` : products.length ? table : nothing}
      </div>
      <${Pager} place=${error ? undefined : found} go=${turn} />
    </section>`
}

/**
 * @param {number | undefined} count undefined until it is known
 * @param {boolean} filtered
 */
function sumOf(count, filtered) {
  return count === undefined ? '' : text(filtered ? 'products.found' : 'products.sum', { count })
}

/**
 * Which attributes have a column: a setting of this device.
 *
 * @param {{names: readonly string[], shown: readonly string[], setting: import('../types.js').Signal<string>}} props
 */
function ColumnChoice({ names, shown, setting }) {
  const toggle = (/** @type {string} */ name, /** @type {boolean} */ isOn) => {
    setting.value = [...shown.filter((each) => each !== name), ...(isOn ? [name] : [])].join()
    change({ attributes: setting.value })
  }
  const all = [...new Set([...names, ...shown])]
  if (all.length === 0) return null
  return html`
    <div class="column-choice">
      <${Menu} icon="settings" label=${text('products.columns')}>
        ${all.map(
          (name) => html`
          <${Check} key=${name} label=${html`<bdi>${name}</bdi>`} value=${shown.includes(name)} changed=${(/** @type {boolean} */ isOn) => toggle(name, isOn)} />`,
        )}
      <//>
    </div>`
}

/**
 * A page behind the end of a list, or a list in which nothing matches.
 *
 * @param {{total: number, showAll: () => void}} props
 */
function NothingFound({ total, showAll }) {
  if (total) return html`<p>${text('products.past-end')}</p>`
  return html`
    <div class="empty"><p>${text('products.none')}</p><${Button} onclick=${showAll}>${text('products.all')}<//></div>`
}

/** @param {{starts: Children}} props */
function NothingYet({ starts }) {
  return html`
    <div class="empty">
      <${Icon} name="products" />
      <p class="message">${text('products.empty')}</p>
      <p>${text('products.empty.how')}</p>
      <div class="row">${starts}</div>
    </div>`
}
