/** The products of a page as a table: sorted by its heads, selected by its checkboxes, with the attributes that a person chose. */

import { moment, number } from '../formats.js'
import { text } from '../language.js'
import { Icon, Initial, html } from '../ui.js'
import { LevelMark } from './cells.js'
import { labelsAddress } from './products_by_id.js'
import { addressOf, sortDirection } from './query.js'
import { partOf, withPage, withRow } from './selection.js'

/** @typedef {import('../types.js').Product} Product */
/** @typedef {import('../types.js').Signal<import('./selection.js').Selection<Product>>} SelectionSignal */

/** Characters of the longest code that is kept on one line. */
const UNBROKEN = 20

/**
 * `sortBy` is called with the field of a head, `choose` with the category whose products to show; `attributes` are the names of
 * those that have a column.
 *
 * @param {{products: Product[], attributes: readonly string[], query: import('./query.js').ProductQuery, selection: SelectionSignal, openId: string, sortBy: (field: string) => void, choose: (category: string) => void}} props
 */
export function ProductTable({ products, attributes, query, selection, openId, sortBy, choose }) {
  const part = partOf(selection.value, products)
  const selectAll = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget: { checked } }) =>
    void (selection.value = withPage(selection.value, products, checked))
  const head = (/** @type {string} */ key, /** @type {string} */ field, name = '') =>
    html`<${Head} key=${key} label=${text(key)} field=${field} name=${name} sort=${query.sort} sortBy=${sortBy} />`
  const all = { type: 'checkbox', 'aria-label': text('products.select.page'), checked: part === 'all' }
  return html`
    <table class="product-table">
      <thead>
        <tr>
          <th scope="col" class="check"><label><input ...${all} indeterminate=${part === 'some'} onclick=${selectAll} /></label></th>
          ${head('product', 'description')}
          ${head('product.product_code', 'product_code', 'wide-only')}
          ${head('product.category', '', 'wider-only')}
          ${attributes.map((name) => html`<th key=${`attribute ${name}`} scope="col" class="wider-only">${name}</th>`)}
          ${head('product.current_level', 'current_level', 'number')}
          ${head('product.minimum_level', '', 'number wider-only')}
          ${head('product.updated', 'updated_at', 'wider-only')}
          <th scope="col" class="wide-only"><span class="unseen">${text('scan.print')}</span></th>
        </tr>
      </thead>
      <tbody>
        ${products.map(
          (product) => html`
            <${Row} key=${product.id} ...${{ product, attributes, choose }} href=${addressOf(query, product.id)}
              isOpen=${String(product.id) === openId} page=${products} selection=${selection} />`,
        )}
      </tbody>
    </table>`
}

/** @param {{label: string, field: string, name: string, sort: string, sortBy: (field: string) => void}} props */
function Head({ label, field, name, sort, sortBy }) {
  if (!field) return html`<th scope="col" class=${name}>${label}</th>`
  return html`
    <th scope="col" class=${name} aria-sort=${sortDirection(sort, field)}>
      <button type="button" class="plain sort" onclick=${() => sortBy(field)}>${label}</button>
    </th>`
}

/** @param {{product: Product, attributes: readonly string[], href: string, isOpen: boolean, page: Product[], selection: SelectionSignal, choose: (category: string) => void}} props */
function Row({ product, attributes, href, isOpen, page, selection, choose }) {
  const { id, product_code, description, category, unit_of_measure, current_level, minimum_level, updated_at } = product
  const isSelected = selection.value.rows.some((each) => each.id === id)
  const press = (/** @type {MouseEvent & {currentTarget: HTMLInputElement}} */ { currentTarget, shiftKey }) =>
    void (selection.value = withRow(selection.value, page, { id, isOn: currentTarget.checked, isRange: shiftKey }))
  const box = { type: 'checkbox', 'aria-label': text('products.select', { code: product_code }), checked: isSelected }
  const code = html`<bdi class=${product_code.length > UNBROKEN ? 'code long' : 'code'}>${product_code}</bdi>`
  const print = text('labels.print-of', { code: product_code })
  return html`
    <tr data-id=${id} class=${[isSelected && 'selected', isOpen && 'open'].filter(Boolean).join(' ')}>
      <td class="check"><label><input ...${box} onclick=${press} /><${Initial} name=${description} /></label></td>
      <td>
        <a class="product-link" href=${href} aria-current=${isOpen ? 'true' : undefined}>
          <bdi class="clamped">${description}</bdi><span class="narrow-only soft">${code}</span>
        </a>
      </td>
      <td class="wide-only soft">${code}</td>
      <td class="wider-only">
        ${category && html`<button type="button" class="plain" onclick=${() => choose(category)}><bdi>${category}</bdi></button>`}
      </td>
      ${attributes.map((name) => html`<td key=${name} class="wider-only"><bdi class="clamped">${product.attributes[name]}</bdi></td>`)}
      <td class="number level">
        <${LevelMark} level=${current_level} minimum=${minimum_level} /> <strong>${number(current_level)}</strong>
        <bdi class="unit soft"> ${unit_of_measure}</bdi>
      </td>
      <td class="number wider-only soft">${minimum_level ? number(minimum_level) : '–'}</td>
      <td class="wider-only soft moment">${moment(updated_at)}</td>
      <td class="action wide-only">
        <a class="button" href=${labelsAddress([id])} aria-label=${print} title=${print}><${Icon} name="print" /></a>
      </td>
    </tr>`
}
