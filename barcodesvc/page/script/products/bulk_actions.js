/** What can be done with the selected products: print labels, set the category or the minimum, delete. */

import { ask, LIMITS } from '../api.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { wholeNumber } from '../typed_values.js'
import { Button, Confirm, Dialog, errorText, Field, html, useEffect, useSignal } from '../ui.js'
import { labelsAddress } from './products_by_id.js'
import { NONE } from './selection.js'
import { sendEach } from './send_each.js'

/** @typedef {import('../types.js').Product} Product */
/** @typedef {'category' | 'minimum_level'} Name of a field that is changed */

/**
 * @param {{selection: import('./table.js').SelectionSignal, changed: () => void, cleared: () => void}} props `changed` is called
 * after products have changed, `cleared` when nothing is selected any more
 */
export function BulkActions({ selection, changed, cleared }) {
  const asked = useSignal('')
  const { rows } = selection.value
  const end = () => void (asked.value = '')
  const clear = () => {
    selection.value = NONE
    cleared()
  }
  const deleted = (/** @type {readonly Product[]} */ kept) => {
    selection.value = { rows: kept, anchor: null }
    changed()
  }
  const begin = (/** @type {string} */ name) => () => void (asked.value = name)
  return html`
    <div class="row bulk" role="group" aria-label=${text('products.selected')} hidden=${rows.length === 0}>
      <strong class="grow" role="status">${rows.length > 0 && text('products.selected.sum', { count: rows.length })}</strong>
      <${Button} kind="text" onclick=${clear}>${text('products.clear')}<//>
      <${Button} onclick=${begin('category')}>${text('products.set-category')}<//>
      <${Button} onclick=${begin('minimum_level')}>${text('products.set-minimum')}<//>
      <${Button} icon="print" onclick=${() => printLabels(rows)}>${text('labels.print-these')}<//>
      <${Button} kind="danger" onclick=${begin('delete')}>${text('product.delete')}<//>
    </div>
    ${asked.value === 'delete' && html`<${DeleteQuestion} products=${rows} closed=${end} deleted=${deleted} />`}
    ${
      ['category', 'minimum_level'].includes(asked.value) &&
      html`<${ChangeDialog} name=${asked.value} products=${rows} closed=${end} changed=${changed} />`
    }`
}

/** @param {readonly Product[]} products */
function printLabels(products) {
  if (products.length > LIMITS.ids) announce(text('labels.too-many', { most: LIMITS.ids }), 'bad')
  else location.hash = labelsAddress(products.map(({ id }) => id))
}

/**
 * Asks before products are deleted with their history. `deleted` is called with those that are still there.
 *
 * @param {{products: readonly Product[], closed: () => void, deleted: (kept: Product[]) => void}} props
 */
export function DeleteQuestion({ products, closed, deleted }) {
  const [{ description = '', product_code = '' } = {}] = products
  const count = products.length
  const send = async () => {
    const failed = await sendEach(
      products,
      ({ id }) => ask('DELETE', `/api/products/${id}`),
      new AbortController().signal,
    )
    if (count > failed.length) announce(text('products.deleted', { count: count - failed.length }))
    const [first] = failed
    if (first) announce(`${first.item.product_code}: ${errorText(first.error)}`, 'bad')
    deleted(failed.map(({ item }) => item))
  }
  return html`
    <${Confirm} title=${text('products.delete', { count, product: description })} action=${text('product.delete')} closed=${closed}
      confirmed=${() => void send()}
    >
      ${count === 1 && html`<p class="code soft"><bdi>${product_code}</bdi></p>`}
      <p>${text('products.delete.what')}</p>
    <//>`
}

/**
 * Asks for a value and gives it to all these products. Those that refuse it stay, with the reason, to try again.
 *
 * @param {{name: Name, products: readonly Product[], closed: () => void, changed: () => void}} props
 */
function ChangeDialog({ name, products, closed, changed }) {
  const [value, problem, done] = [useSignal(''), useSignal(''), useSignal(-1)]
  const [remaining, ended] = [useSignal(products), useSignal(new AbortController())]
  useEffect(() => () => ended.peek().abort(), [])
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault()
    const wanted = name === 'category' ? value.value.trim() : wholeNumber(value.value)
    problem.value = wanted === null ? text('whole-number') : ''
    if (wanted === null) return
    done.value = 0
    const put = (/** @type {Product} */ { id }) => ask('PUT', `/api/products/${id}`, { body: { [name]: wanted } })
    const failed = await sendEach(remaining.value, put, ended.value.signal, (sent) => (done.value = sent))
    done.value = -1
    const count = remaining.value.length - failed.length
    if (count) announce(text('products.changed', { count }))
    changed()
    const [first] = failed
    if (!first) return closed()
    remaining.value = failed.map(({ item }) => item)
    const reason = `${first.item.product_code}: ${errorText(first.error)}`
    problem.value = text('products.unchanged', { count: failed.length, reason })
  }
  const isText = name === 'category'
  const kind = isText ? { maxlength: LIMITS.short_text, list: 'categories' } : { maxlength: 16, inputmode: 'numeric' }
  return html`
    <${Dialog} title=${text(isText ? 'products.set-category' : 'products.set-minimum')} closed=${closed}>
      <form onsubmit=${submit} novalidate>
        <p class="soft">${text('products.selected.sum', { count: products.length })}</p>
        <${Field} label=${text(`product.${name}`)} value=${value} problem=${problem.value} autocomplete="off" ...${kind} />
        <progress hidden=${done.value < 0} max=${remaining.value.length} value=${done} aria-label=${text('products.saving')} />
        <div class="row apart">
          <${Button} kind="text" onclick=${closed}>${text('cancel')}<//>
          <button class="main" disabled=${done.value >= 0}>${text('save')}</button>
        </div>
      </form>
    <//>`
}
