/** What can be done with the selected products: print labels, set the category or the minimum, delete. */

import { ask } from '../api.js'
import { element, fill } from '../dom.js'
import { text } from '../language.js'
import { withEach } from './many_requests.js'
import { announce } from '../notices.js'
import { labelsAddress, MOST_NAMED } from './products_by_id.js'
import { symbol } from '../symbols.js'
import { wholeNumber } from '../typed_values.js'
import { errorText } from '../failure.js'

/** @typedef {import('./table.js').Product} Product */

/**
 * @param {object} actions
 * @param {import('./row_selection.js').RowSelection<Product>} actions.selection
 * @param {() => void} actions.changed called after products have changed
 * @param {() => void} actions.cleared called after nothing is selected any more
 * @param {(products: Product[]) => void} actions.remove
 * @param {AbortSignal} actions.signal
 */
export function bulkActions({ selection, changed, cleared, remove, signal }) {
  const sum = element('strong', { class: 'grow', role: 'status' })
  const clear = () => {
    selection.clear()
    cleared()
  }
  const edit = (/** @type {Field} */ field) => changeMany(selection.rows, field, signal, changed)
  const node = element(
    'div',
    { class: 'row bulk', role: 'group', 'aria-label': text('products.selected'), hidden: true },
    sum,
    button('labels.print-these', () => printLabels(selection.rows), 'print'),
    button('products.set-category', () => edit('category')),
    button('products.set-minimum', () => edit('minimum_level')),
    element(
      'button',
      { type: 'button', class: 'danger', onclick: () => remove(selection.rows) },
      text('product.delete'),
    ),
    button('products.clear', clear),
  )

  function show() {
    const count = selection.rows.length
    node.hidden = count === 0
    sum.textContent = count ? text('products.selected.sum', { count }) : ''
  }
  return { node, show }
}

/**
 * @param {string} key
 * @param {() => void} onclick
 * @param {string} [sign]
 */
function button(key, onclick, sign) {
  return element('button', { type: 'button', onclick }, sign && symbol(sign), text(key))
}

/** @param {Product[]} products */
function printLabels(products) {
  if (products.length > MOST_NAMED) announce(text('labels.too-many', { most: MOST_NAMED }), 'bad')
  else location.hash = labelsAddress(products.map(({ id }) => id))
}

/** @typedef {'category' | 'minimum_level'} Field */

/**
 * Ask for a value and give it to all these products. Those that refuse it stay, with the reason, to try again.
 *
 * @param {Product[]} products
 * @param {Field} name
 * @param {AbortSignal} signal
 * @param {() => void} changed
 */
function changeMany(products, name, signal, changed) {
  let remaining = products
  const problem = element('p', { class: 'problem', role: 'alert' })
  const progress = element('progress', { max: products.length, hidden: true, 'aria-label': text('products.saving') })
  const closed = new AbortController()
  signal.addEventListener('abort', () => closed.abort(), { signal: closed.signal })
  const field = fieldOf(name)
  const save = element('button', { class: 'main' }, text('save'))

  async function submit(/** @type {Event} */ event) {
    event.preventDefault()
    const value = valueOf(name, field.value)
    if (value === null) {
      problem.textContent = text('whole-number')
      return field.focus()
    }
    save.disabled = true
    progress.hidden = false
    problem.textContent = ''
    const put = (/** @type {Product} */ { id }) => ask('PUT', `/api/products/${id}`, { body: { [name]: value } })
    const failed = await withEach(remaining, put, closed.signal, (done) => (progress.value = done))
    save.disabled = false
    finish(failed)
  }

  /** @param {{item: Product, error: unknown}[]} failed */
  function finish(failed) {
    const count = remaining.length - failed.length
    if (count) announce(text('products.changed', { count }))
    remaining = failed.map(({ item }) => item)
    if (closed.signal.aborted) return changed()
    const [first] = failed
    if (!first) return dialog.close()
    progress.hidden = true
    const reason = `${first.item.product_code}: ${errorText(first.error)}`
    problem.textContent = text('products.unchanged', { count: failed.length, reason })
  }

  const title = text(name === 'category' ? 'products.set-category' : 'products.set-minimum')
  const dialog = element('dialog', { 'aria-label': title, onclose: () => (closed.abort(), dialog.remove(), changed()) })
  const cancel = element('button', { type: 'button', onclick: () => dialog.close() }, text('cancel'))
  fill(
    dialog,
    element(
      'form',
      { onsubmit: (/** @type {Event} */ event) => void submit(event), novalidate: true },
      element('h2', null, title),
      element('p', { class: 'soft' }, text('products.selected.sum', { count: products.length })),
      element('label', null, text(`product.${name}`), field),
      problem,
      progress,
      element('div', { class: 'row' }, save, cancel),
    ),
  )
  document.body.append(dialog)
  dialog.showModal()
}

/** @param {Field} name */
function fieldOf(name) {
  const isText = name === 'category'
  return element('input', {
    type: 'text',
    name,
    inputmode: isText ? 'text' : 'numeric',
    maxlength: isText ? 64 : 16,
    autocomplete: 'off',
    ...(isText ? { list: 'categories' } : {}),
  })
}

/**
 * Return the value that was typed, or null if it is not one.
 *
 * @param {Field} name
 * @param {string} typed
 */
function valueOf(name, typed) {
  return name === 'category' ? typed.trim() : wholeNumber(typed)
}
