/** The pages of a long list: back, on, and to any page by its number. */

import { number } from './formats.js'
import { text } from './language.js'
import { wholeNumber } from './typed_values.js'
import { html, IconButton } from './ui.js'

/** @typedef {{page: number, pages: number, total: number}} Place */

/** @param {{place: Place | undefined, go: (page: number) => void}} props */
export function Pager({ place = { page: 1, pages: 1, total: 0 }, go }) {
  const { page, pages } = place
  if (Math.max(page, pages) < 2) return null
  const typed = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) => {
    const wanted = nearestPage(wholeNumber(currentTarget.value), place)
    currentTarget.value = String(page)
    if (wanted !== page) go(wanted)
  }
  const field = { type: 'text', inputmode: 'numeric', autocomplete: 'off', 'aria-label': text('page'), onchange: typed }
  const [back, forward] = [nearestPage(page - 1, place), page + 1]
  return html`
    <nav class="pager row" aria-label=${text('pages')}>
      <${IconButton} icon="back" label=${text('page.back')} disabled=${page <= 1} onclick=${() => go(back)} />
      <input key=${page} value=${page} ...${field} />
      <span>${text('page.of', { pages: number(pages) })}</span>
      <${IconButton} icon="forward" label=${text('page.forward')} disabled=${page >= pages} onclick=${() => go(forward)} />
    </nav>`
}

/**
 * Return the page that is nearest to a wanted one. An empty list has none, but its first is asked for.
 *
 * @param {number | null} wanted the current one if null
 * @param {Place} place
 */
export function nearestPage(wanted, { page, pages }) {
  return Math.max(1, Math.min(pages, wanted ?? page))
}
