/** The menu of exports, which the browser saves as files. */

import { address } from './api.js'
import { element } from './dom.js'
import { text } from './language.js'
import { symbol } from './symbols.js'

/**
 * @param {string} path
 * @param {AbortSignal} signal
 */
export function exportMenu(path, signal) {
  const links = ['xlsx', 'csv'].map((format) =>
    element(
      'a',
      { class: 'button', href: address(path, { format }), download: true, onclick: () => (menu.open = false) },
      text(`export.${format}`),
    ),
  )
  const summary = element('summary', { class: 'button' }, symbol('download'), text('export'))
  const menu = element(
    'details',
    {
      class: 'menu',
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key !== 'Escape' || !menu.open) return
        menu.open = false
        summary.focus()
      },
      onfocusout: (/** @type {FocusEvent} */ event) => {
        if (event.relatedTarget instanceof Node && !menu.contains(event.relatedTarget)) menu.open = false
      },
    },
    summary,
    element('div', { class: 'menu-items' }, ...links),
  )
  const outside = (/** @type {Event} */ { target }) => {
    if (target instanceof Node && !menu.contains(target)) menu.open = false
  }
  document.addEventListener('click', outside, { signal })
  return menu
}
