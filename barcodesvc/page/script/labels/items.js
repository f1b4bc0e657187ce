/**
 * The labels to print: each product with its symbol as it will be printed, and its number of labels.
 *
 * Rule: a typed number counts at once, so that nothing that comes meanwhile replaces it. The first digits of a scan count as
 * well until the scanner is heard, and the field has its former number again.
 */

import { element, keyed } from '../dom.js'
import { text } from '../language.js'
import { symbol } from '../symbols.js'
import { wholeNumber } from '../typed_values.js'
import { stepButton } from '../step_button.js'
import { symbolPicture } from './symbol_picture.js'

/** @typedef {import('./selection.js').Item} Item */

/**
 * @param {(item: Item, copies: number) => void} setCopies
 * @param {(item: Item) => void} remove
 */
export function labelItems(setCopies, remove) {
  const node = element('ul', { class: 'items', 'aria-label': text('labels.items') })
  /** How to show each line anew. @type {WeakMap<Element, (symbology: string) => void>} */
  const updates = new WeakMap()

  /** @param {Item} item */
  function line(item) {
    const { product_code, description } = item.product
    const picture = symbolPicture(product_code)
    const copies = copiesField(item, setCopies)
    const name = element(
      'div',
      { class: 'grow' },
      element('div', { class: 'code' }, element('bdi', null, product_code)),
      element('bdi', { class: 'short' }, description),
    )
    const removing = {
      type: 'button',
      'aria-label': text('labels.remove', { code: product_code }),
      onclick: () => remove(item),
    }
    const buttons = element(
      'div',
      { class: 'copies' },
      stepButton(text('labels.fewer'), '−', () => setCopies(item, item.copies - 1)),
      copies,
      stepButton(text('labels.more'), '+', () => setCopies(item, item.copies + 1)),
      element('button', removing, symbol('bad')),
    )
    const row = element('li', { class: 'item' }, picture.node, name, buttons)
    updates.set(row, (symbology) => {
      if (wholeNumber(copies.value) !== item.copies) copies.value = String(item.copies)
      picture.show(symbology)
    })
    return row
  }

  return {
    node,
    /**
     * @param {Item[]} items
     * @param {string} symbology
     */
    show(items, symbology) {
      keyed(
        node,
        items,
        (item) => item,
        (item, existing) => {
          const row = existing ?? line(item)
          updates.get(row)?.(symbology)
          return row
        },
      )
    },
  }
}

/**
 * @param {Item} item
 * @param {(item: Item, copies: number) => void} setCopies
 */
function copiesField(item, setCopies) {
  const field = element('input', {
    type: 'text',
    inputmode: 'numeric',
    autocomplete: 'off',
    'aria-label': text('labels.copies', { code: item.product.product_code }),
    oninput: () => {
      const copies = wholeNumber(field.value)
      if (copies) setCopies(item, copies)
    },
    onchange: () => {
      field.value = String(item.copies)
    },
  })
  return field
}
