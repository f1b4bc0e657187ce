/** What can be done with the selected products: print labels, set the category or the minimum, retire, delete. */

import { ask, LIMITS } from '../api.js'
import { text } from '../language.js'
import { announce, Confirm, Dialog } from '../in_front.js'
import { wholeNumber } from '../formats.js'
import { Button, errorText, Field, html, useRequest, useSignal } from '../ui.js'

/** @typedef {import('../types.js').Product} Product */

/** Requests at a time. */
const AT_ONCE = 4

/** `select` selects other products; `changed` is called after some have changed. @param {{products: readonly Product[], select: (products: readonly Product[]) => void, changed: () => void}} props */
export function BulkActions({ products, select, changed }) {
  const asked = useSignal('')
  const closed = () => void (asked.value = '')
  const button = (/** @type {string} */ name, /** @type {string} */ kind, /** @type {string} */ label) =>
    html`<${Button} kind=${kind} onclick=${() => (asked.value = name)}>${text(label)}<//>`
  const print = () => {
    if (products.length > LIMITS.ids) announce(text('labels.too-many', { most: LIMITS.ids }), 'bad')
    else location.hash = `#labels?products=${products.map(({ id }) => id).join()}`
  }
  const retire = async () => {
    const put = (/** @type {Product} */ { id }) => ask('PUT', `/api/products/${id}`, { body: { retired: true } })
    const { failed, says } = await sendEach(products, put)
    if (products.length > failed.length) announce(text('products.changed', { count: products.length - failed.length }))
    if (says) announce(says, 'bad')
    select(failed)
    changed()
  }
  return html`
    <div class="row bulk" role="group" aria-label=${text('products.selected')} hidden=${products.length === 0}>
      <strong class="grow" role="status">${products.length > 0 && text('products.selected.sum', { count: products.length })}</strong>
      <${Button} kind="text" onclick=${() => select([])}>${text('products.clear')}<//>
      ${button('category', '', 'products.set-category')}
      ${button('minimum_level', '', 'products.set-minimum')}
      <${Button} icon="print" onclick=${print}>${text('labels.print-these')}<//>
      <${Button} onclick=${() => void retire()}>${text('product.retire')}<//>
      ${button('delete', 'danger', 'product.delete')}
    </div>
    ${
      asked.value === 'delete'
        ? html`<${DeleteQuestion} ...${{ products, closed }} deleted=${(/** @type {Product[]} */ kept) => (select(kept), changed())} />`
        : asked.value && html`<${ChangeDialog} name=${asked.value} ...${{ products, closed, changed }} />`
    }`
}

/** Asks before products are deleted with their history: one that has moved by its name, several by their number. `deleted` is called with those that are still there. @param {{products: readonly Product[], closed: () => void, deleted: (kept: Product[]) => void}} props */
export function DeleteQuestion({ products, closed, deleted }) {
  const [{ id = 0, description = '', product_code = '' } = {}] = products
  const count = products.length
  const load = (/** @type {AbortSignal} */ signal) =>
    ask('GET', `/api/inventory/${id}/history`, { query: { limit: 1 }, signal })
  const { data: movements, error } = useRequest(load, [])
  const name = movements?.length === 0 ? '' : description
  const phrase = count > 1 ? String(count) : movements || error ? name : null
  const send = async () => {
    const { failed, says } = await sendEach(products, (each) => ask('DELETE', `/api/products/${each.id}`))
    if (count > failed.length) announce(text('products.deleted', { count: count - failed.length }))
    if (says) announce(says, 'bad')
    deleted(failed)
  }
  return html`
    <${Confirm} title=${text('products.delete', { count, product: description })} action=${text('product.delete')} phrase=${phrase} closed=${closed}
      confirmed=${() => void send()}
    >
      ${count === 1 && html`<p class="code soft"><bdi>${product_code}</bdi></p>`}
      <p>${text('products.delete.what')} ${phrase && text('products.delete.rather')}</p>
    <//>`
}

/** Asks for a value and gives it to all these products. Those that refuse it stay, with the reason, to try again. @param {{name: string, products: readonly Product[], closed: () => void, changed: () => void}} props */
function ChangeDialog({ name, products, closed, changed }) {
  const [value, problem, done] = [useSignal(''), useSignal(''), useSignal(-1)]
  const remaining = useSignal(products)
  const isText = name === 'category'
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault()
    const wanted = isText ? value.value.trim() : wholeNumber(value.value)
    problem.value = wanted === null ? text('whole-number') : ''
    if (wanted === null || done.value >= 0) return
    const put = (/** @type {Product} */ { id }) => ask('PUT', `/api/products/${id}`, { body: { [name]: wanted } })
    const { failed, says } = await sendEach(remaining.value, put, (sent) => (done.value = sent))
    const count = remaining.value.length - failed.length
    if (count) announce(text('products.changed', { count }))
    changed()
    done.value = -1
    if (!failed.length) return closed()
    remaining.value = failed
    problem.value = text('products.unchanged', { count: failed.length, reason: says })
  }
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

/** Send a request for each product, a few at a time. Return those that were refused, and why the first one was. @param {readonly Product[]} products @param {(product: Product) => Promise<unknown>} send @param {(done: number) => void} [progress] */
async function sendEach(products, send, progress) {
  const failed = /** @type {Product[]} */ ([])
  let says = ''
  for (let at = 0; at < products.length; at += AT_ONCE) {
    progress?.(at)
    const some = products.slice(at, at + AT_ONCE)
    const results = await Promise.allSettled(some.map(send))
    failed.push(...some.filter((_, index) => results[index]?.status === 'rejected'))
    const [first] = results.filter((each) => each.status === 'rejected')
    if (first) says ||= `${failed[0]?.product_code}: ${errorText(first.reason)}`
  }
  return { failed, says }
}
