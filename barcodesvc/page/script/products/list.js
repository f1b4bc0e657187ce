/** The catalogue as a table: searched as you type, filtered, sorted, page by page, with actions for the selected products. */

import { envelope } from '../api.js'
import { moment, number } from '../formats.js'
import { text } from '../language.js'
import { Menu, Pager, SeenValues } from '../lists.js'
import { settings } from '../settings.js'
import { Button, Check, Failure, html, Icon, Initial, Loading, Mark, Select } from '../ui.js'
import { useEffect, useRef, useRequest, useSignal } from '../ui.js'
import { attributesIn, shownAttributes } from './attributes.js'
import { BulkActions } from './bulk.js'
import { LevelMark } from './level.js'
import { addressOf, ALL, DAYS, isFiltered, nextSort, requestOf, rowsBetween, selectedWith } from './query.js'
import { SearchField } from './search.js'

/** @typedef {import('./query.js').ProductQuery} ProductQuery */
/** @typedef {import('../types.js').Product} Product */
/** @typedef {import('../types.js').Children} Children */
/** @typedef {(changed: Partial<ProductQuery>) => void} Find */
/** @template Value @typedef {import('../types.js').Signal<Value>} Signal */

/** Characters of the longest code that is kept on one line. */
const UNBROKEN = 20

/**
 * `reloads` counts how often the products have changed elsewhere; `starts` is what an empty catalogue offers.
 *
 * @param {{query: Signal<ProductQuery>, reloads: Signal<number>, selection: Signal<readonly Product[]>, openId: string, scan: (code: string) => void, starts: Children}} props
 */
export function ProductList({ query, reloads, selection, openId, scan, starts }) {
  const node = useRef(/** @type {HTMLElement | null} */ (null))
  const field = useRef(/** @type {HTMLElement | null} */ (null))
  const load = (/** @type {AbortSignal} */ signal) =>
    envelope('GET', '/api/products', { query: requestOf(query.peek(), new Date()), signal })
  const { data, error, isUnderWay, again } = useRequest(load, [addressOf(query.value), reloads.value])
  /** @type {Product[]} */
  const products = data?.data ?? []
  const place = error ? undefined : data?.pagination
  const isEmpty = place?.total === 0 && !isFiltered(query.value)
  const names = attributesIn(products)
  const attributes = shownAttributes(settings.attributes.value, names)
  const find = (/** @type {Partial<ProductQuery>} */ changed) => {
    query.value = { ...query.peek(), page: 1, ...changed }
    history.replaceState(null, '', addressOf(query.value, openId))
  }
  const turn = (/** @type {number} */ page) => (find({ page }), node.current?.scrollIntoView())
  const select = (/** @type {readonly Product[]} */ chosen) => {
    selection.value = chosen
    if (chosen.length === 0) field.current?.focus({ preventScroll: true })
  }
  const showAll = () => (find(ALL), field.current?.focus())
  const shown = products.length
    ? html`<${Table} ...${{ products, attributes, selection, openId, find }} query=${query.value} />`
    : html`<${Nothing} isEmpty=${isEmpty} isPastEnd=${place?.total > 0} ...${{ starts, showAll }} />`
  return html`
    <section class="card catalogue" ref=${node} aria-label=${text('products.list')}>
      ${!isEmpty && html`<${Filters} ...${{ products, isUnderWay, find, scan, field }} query=${query.value} />`}
      <${BulkActions} products=${selection.value} select=${select} changed=${() => void reloads.value++} />
      <div class="row apart">
        <p class="soft" role="status">${place && !isEmpty && text('products.sum', { count: place.total })}</p>
        <${ColumnChoice} names=${names} shown=${attributes} />
      </div>
      <div class="fitting results" aria-busy=${isUnderWay ? 'true' : undefined}>
        ${error ? html`<${Failure} error=${error} again=${again} />` : !data && html`<${Loading} />`}
        ${place && shown}
      </div>
      <${Pager} place=${place} go=${turn} />
    </section>`
}

/** Which attributes have a column: a setting of this device. @param {{names: readonly string[], shown: readonly string[]}} props */
function ColumnChoice({ names, shown }) {
  const toggle = (/** @type {string} */ name, /** @type {boolean} */ isOn) =>
    void (settings.attributes.value = [...shown.filter((each) => each !== name), ...(isOn ? [name] : [])].join())
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

/** An empty catalogue, a page behind the end of a list, or a list in which nothing matches. @param {{isEmpty: boolean, isPastEnd: boolean, starts: Children, showAll: () => void}} props */
function Nothing({ isEmpty, isPastEnd, starts, showAll }) {
  if (isPastEnd) return html`<p>${text('products.past-end')}</p>`
  if (!isEmpty)
    return html`
      <div class="empty"><p>${text('products.none')}</p><${Button} onclick=${showAll}>${text('products.all')}<//></div>`
  return html`
    <div class="empty">
      <${Icon} name="products" />
      <p class="message">${text('products.empty')}</p>
      <p>${text('products.empty.how')}</p>
      <div class="row">${starts}</div>
    </div>`
}

/** What the list searches for and filters by: text, category, stock, since when it moved, and whether it is sold. @param {{query: ProductQuery, products: Product[], isUnderWay: boolean, find: Find, scan: (code: string) => void, field: {current: HTMLElement | null}}} props */
function Filters({ query: { search, category, stock, moved, retired }, products, isUnderWay, find, scan, field }) {
  const [isOpen, typed] = [useSignal(false), useSignal(search)]
  const sent = useRef(search)
  useEffect(() => {
    if (search !== sent.current) typed.value = sent.current = search
  }, [search])
  const active = [category, stock, moved, retired].filter(Boolean).length
  const options = (/** @type {string} */ key, /** @type {string[]} */ values) => [
    ['', text(`${key}.any`)],
    ...values.map((value) => [value, text(`${key}.${value}`)]),
  ]
  return html`
    <div class="row filters" role="search" data-open=${isOpen}>
      <${SearchField} class="search-text" label=${text('products.search')} typed=${typed} asked=${search} isUnderWay=${isUnderWay} field=${field}
        find=${(/** @type {string} */ wanted) => find({ search: (sent.current = wanted) })}
        scanned=${(/** @type {string} */ code, /** @type {string} */ before) => ((typed.value = before), scan(code))} />
      <${Button} icon="settings" aria-expanded=${String(isOpen.value)} onclick=${() => (isOpen.value = !isOpen.value)}>
        <span class="word">${text('products.filter')}</span>${active > 0 && ` ${active}`}
      <//>
      <${SeenValues} id="categories" label=${text('product.category')} value=${category} found=${products.map((each) => each.category)}
        choose=${(/** @type {string} */ chosen) => find({ category: chosen })} />
      <${Select} label=${text('product.current_level')} value=${stock} options=${options('products.stock', ['low', 'out'])}
        changed=${(/** @type {string} */ chosen) => find({ stock: chosen })} />
      <${Select} label=${text('products.moved')} value=${moved} options=${options('products.moved', DAYS)}
        changed=${(/** @type {string} */ chosen) => find({ moved: chosen })} />
      <${Select} label=${text('products.retired')} value=${retired}
        options=${['', 'true', 'any'].map((each) => [each, text(`products.retired.${each || 'false'}`)])}
        changed=${(/** @type {string} */ chosen) => find({ retired: chosen })} />
    </div>`
}

/** @param {{products: Product[], attributes: readonly string[], query: ProductQuery, selection: Signal<readonly Product[]>, openId: string, find: Find}} props */
function Table({ products, attributes, query, selection, openId, find }) {
  const last = useRef(/** @type {number | null} */ (null))
  const selected = new Set(selection.value.map(({ id }) => id))
  const count = products.filter(({ id }) => selected.has(id)).length
  const select = (/** @type {Product[]} */ some, /** @type {boolean} */ isOn) =>
    void (selection.value = selectedWith(selection.value, some, isOn))
  const all = { type: 'checkbox', 'aria-label': text('products.select.page'), checked: count === products.length }
  const selectAll = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget: { checked } }) =>
    select(products, checked)
  const press = (/** @type {number} */ id, /** @type {MouseEvent & {currentTarget: HTMLInputElement}} */ event) => {
    select(rowsBetween(products, event.shiftKey ? last.current : null, id), event.currentTarget.checked)
    last.current = id
  }
  const head = (/** @type {string} */ key, name = '', field = '') => {
    if (!field) return html`<th scope="col" class=${name}>${text(key)}</th>`
    const order = { [field]: 'ascending', [`-${field}`]: 'descending' }[query.sort] ?? 'none'
    const sort = () => find({ sort: nextSort(query.sort, field) })
    return html`
      <th scope="col" class=${name} aria-sort=${order}><button type="button" class="plain sort" onclick=${sort}>${text(key)}</button></th>`
  }
  return html`
    <table class="product-table">
      <thead>
        <tr>
          <th scope="col" class="check">
            <label><input ...${all} indeterminate=${count > 0 && count < products.length} onclick=${selectAll} /></label>
          </th>
          ${head('product', '', 'description')} ${head('product.product_code', 'wide-only', 'product_code')}
          ${head('product.category', 'wider-only')}
          ${attributes.map((name) => html`<th key=${name} scope="col" class="wider-only">${name}</th>`)}
          ${head('product.current_level', 'number', 'current_level')} ${head('product.minimum_level', 'number wider-only')}
          ${head('product.updated', 'wider-only', 'updated_at')}
          <th scope="col" class="wide-only"><span class="unseen">${text('scan.print')}</span></th>
        </tr>
      </thead>
      <tbody>
        ${products.map(
          (product) => html`
            <${Row} key=${product.id} ...${{ product, attributes, query, find }} isOpen=${String(product.id) === openId}
              isSelected=${selected.has(product.id)} press=${(/** @type {any} */ event) => press(product.id, event)} />`,
        )}
      </tbody>
    </table>`
}

/** @param {{product: Product, attributes: readonly string[], query: ProductQuery, find: Find, isOpen: boolean, isSelected: boolean, press: (event: MouseEvent) => void}} props */
function Row({ product, attributes, query, find, isOpen, isSelected, press }) {
  const { id, product_code, description, category, unit_of_measure, current_level, minimum_level, updated_at } = product
  const box = { type: 'checkbox', 'aria-label': text('products.select', { code: product_code }), checked: isSelected }
  const code = html`<bdi class=${product_code.length > UNBROKEN ? 'code long' : 'code'}>${product_code}</bdi>`
  const print = text('labels.print-of', { code: product_code })
  return html`
    <tr data-id=${id} class=${`${isSelected ? 'selected' : ''} ${isOpen ? 'open' : ''}`}>
      <td class="check"><label><input ...${box} onclick=${press} /><${Initial} name=${description} /></label></td>
      <td>
        <a class="product-link" href=${addressOf(query, id)} aria-current=${isOpen ? 'true' : undefined}>
          <bdi class="clamped">${description}</bdi>${product.retired && html`<${Mark} kind="bad">${text('product.retired')}<//>`}<span class="narrow-only soft">${code}</span>
        </a>
      </td>
      <td class="wide-only soft">${code}</td>
      <td class="wider-only">
        ${category && html`<button type="button" class="plain" onclick=${() => find({ category })}><bdi>${category}</bdi></button>`}
      </td>
      ${attributes.map((name) => html`<td key=${name} class="wider-only"><bdi class="clamped">${product.attributes[name]}</bdi></td>`)}
      <td class="number level">
        <${LevelMark} level=${current_level} minimum=${minimum_level} /> <strong>${number(current_level)}</strong>
        <bdi class="unit soft"> ${unit_of_measure}</bdi>
      </td>
      <td class="number wider-only soft">${minimum_level ? number(minimum_level) : '–'}</td>
      <td class="wider-only soft moment">${moment(updated_at)}</td>
      <td class="action wide-only">
        <a class="button" href=${`#labels?products=${id}`} aria-label=${print} title=${print}><${Icon} name="print" /></a>
      </td>
    </tr>`
}
