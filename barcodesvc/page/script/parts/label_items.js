/** The labels to print: each product with its symbol as it will be printed, and its number of labels. */

import { element, fill } from '../dom.js'
import { wholeNumber } from '../typed_values.js'
import { text } from '../language.js'
import { symbol } from '../symbols.js'
import { stepButton } from './step_button.js'
import { symbolPicture } from './symbol_picture.js'

/** @typedef {{product: any, copies: number}} Item */

/**
 * @param {number} most copies of one product
 * @param {() => void} changed called when a person has changed the copies
 * @param {(item: Item) => void} removed
 */
export function labelItems(most, changed, removed) {
  const node = element('ul', { class: 'items', 'aria-label': text('labels.items') })
  /** @type {Map<Item, ReturnType<typeof line>>} */
  let lines = new Map()

  /** @param {Item} item */
  function line(item) {
    const { product_code, description } = item.product
    const picture = symbolPicture(product_code)
    const copies = element('input', {
      type: 'text',
      inputmode: 'numeric',
      autocomplete: 'off',
      'aria-label': text('labels.copies', { code: product_code }),
      onchange: () => set(wholeNumber(copies.value) ?? item.copies),
    })
    const set = (/** @type {number} */ wanted) => {
      item.copies = Math.min(most, Math.max(1, wanted))
      show()
      changed()
    }
    const show = () => void (copies.value = String(item.copies))
    const remove = {
      type: 'button',
      'aria-label': text('labels.remove', { code: product_code }),
      onclick: () => removed(item),
    }
    const row = element(
      'li',
      { class: 'item' },
      picture.node,
      element(
        'div',
        { class: 'grow' },
        element('div', { class: 'code' }, element('bdi', null, product_code)),
        element('bdi', { class: 'short' }, description),
      ),
      element(
        'div',
        { class: 'copies' },
        stepButton(text('labels.fewer'), '−', () => set(item.copies - 1)),
        copies,
        stepButton(text('labels.more'), '+', () => set(item.copies + 1)),
        element('button', remove, symbol('bad')),
      ),
    )
    return { row, show, picture }
  }

  return {
    node,
    /**
     * Show these items; lines that are already shown stay, with the focus in them.
     *
     * @param {Item[]} items
     * @param {string} symbology
     */
    show(items, symbology) {
      lines = new Map(items.map((item) => [item, lines.get(item) ?? line(item)]))
      const rows = [...lines.values()].map(({ row }) => row)
      if (rows.length !== node.children.length || rows.some((row, index) => row !== node.children[index])) {
        fill(node, ...rows)
      }
      for (const { show, picture } of lines.values()) {
        show()
        picture.show(symbology)
      }
    },
  }
}
