/** The pages of a long list: back, on, and to any page by its number. */

import { element, fill } from './dom.js'
import { number } from './formats.js'
import { wholeNumber } from './typed_values.js'
import { text } from './language.js'
import { symbol } from './symbols.js'

/** @typedef {{page: number, pages: number, total: number}} Place */

/** @param {(page: number) => void} go */
export function pager(go) {
  const node = element('nav', { class: 'pager row', 'aria-label': text('pages'), hidden: true })

  /** @param {Place} place */
  function show({ page, pages }) {
    node.hidden = Math.max(page, pages) < 2
    const field = element('input', {
      type: 'text',
      inputmode: 'numeric',
      autocomplete: 'off',
      value: page,
      'aria-label': text('page'),
      onchange: () => go(Math.min(pages, Math.max(1, wholeNumber(field.value) ?? page))),
    })
    fill(
      node,
      step('back', page <= 1, () => go(Math.min(pages || 1, page - 1))),
      field,
      element('span', null, text('page.of', { pages: number(pages) })),
      step('forward', page >= pages, () => go(page + 1)),
    )
  }
  return { node, show }
}

/**
 * @param {'back' | 'forward'} name
 * @param {boolean} isLast
 * @param {() => void} onclick
 */
function step(name, isLast, onclick) {
  return element(
    'button',
    { type: 'button', 'aria-label': text(`page.${name}`), disabled: isLast, onclick },
    symbol(name),
  )
}
