/** What lists have in common: their pages, their exports as files, and the field that filters them by a value seen in them. */

import { address, ask } from './api.js'
import { number, wholeNumber } from './formats.js'
import { announce } from './in_front.js'
import { text } from './language.js'
import { errorText, html, Icon, IconButton, useEffect, useRef, useSignal } from './ui.js'

/** @typedef {{page: number, pages: number, total: number}} Place */

/** Most values that are offered. */
const MOST = 200

/** The pages of a long list: back, on, and to any page by its number. @param {{place: Place | undefined, go: (page: number) => void}} props */
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

/** Return the page that is nearest to a wanted one, or the current one. An empty list has none, but its first is asked for. @param {number | null} wanted @param {Place} place */
export function nearestPage(wanted, { page, pages }) {
  return Math.max(1, Math.min(pages, wanted ?? page))
}

/** A button that opens what belongs to it. Escape, a press elsewhere, and the focus elsewhere close it. @param {{icon: string, label: string, children: import('./types.js').Children}} props */
export function Menu({ icon, label, children }) {
  const node = useRef(/** @type {HTMLDetailsElement | null} */ (null))
  const leave = (/** @type {EventTarget | null} */ target) => {
    if (node.current && target instanceof Node && !node.current.contains(target)) node.current.open = false
  }
  const escape = (/** @type {KeyboardEvent} */ { key }) => {
    if (key !== 'Escape' || !node.current?.open) return
    node.current.open = false
    node.current.querySelector('summary')?.focus()
  }
  useEffect(() => {
    const press = (/** @type {Event} */ { target }) => leave(target)
    document.addEventListener('click', press)
    return () => document.removeEventListener('click', press)
  }, [])
  return html`
    <details
      class="menu" ref=${node} onkeydown=${escape}
      onfocusout=${(/** @type {FocusEvent} */ { relatedTarget }) => leave(relatedTarget)}
    >
      <summary class="button"><${Icon} name=${icon} /><span class="word">${label}</span></summary>
      <div class="menu-items">${children}</div>
    </details>`
}

/** The menu of exports, which the browser saves as files. @param {{path: string}} props */
export function ExportMenu({ path }) {
  const save = (/** @type {MouseEvent & {currentTarget: HTMLAnchorElement}} */ event) => {
    event.currentTarget.closest('details')?.removeAttribute('open')
    saveFile(event)
  }
  return html`
    <${Menu} icon="download" label=${text('export')}>
      ${['xlsx', 'csv'].map((format) => {
        const href = address(path, { format })
        return html`<a key=${format} class="button" href=${href} download onclick=${save}>${text(`export.${format}`)}</a>`
      })}
    <//>`
}

/**
 * Save the file that a pressed link names. The browser's own download cannot ask for the key. So the page asks the service
 * for something else first, which does if the session is over.
 *
 * @param {Event & {currentTarget: HTMLAnchorElement}} event
 */
export function saveFile(event) {
  const { href } = event.currentTarget
  event.preventDefault()
  const save = () => Object.assign(document.createElement('a'), { href, download: '' }).click()
  ask('GET', '/api/products', { query: { limit: 1 } }).then(save, (error) => announce(errorText(error), 'bad'))
}

/**
 * A field whose value must match exactly, with the values seen so far to choose from.
 * `choose` is called with another complete value: one that was chosen, left, or emptied; `found` are values of the list now.
 *
 * @param {{id: string, label: string, value: string, found: readonly string[], choose: (value: string) => void}} props
 */
export function SeenValues({ id, label, value, found, choose }) {
  const [typed, seen] = [useSignal(value), useSignal(/** @type {readonly string[]} */ ([]))]
  useEffect(() => void (typed.value = value), [value])
  useEffect(() => {
    const all = new Set([...seen.peek(), ...found.filter(Boolean)])
    if (all.size > seen.peek().length) seen.value = [...all].slice(0, MOST).sort()
  }, [found])
  const complete = (/** @type {string} */ chosen) => chosen !== value && choose(chosen)
  const type = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) => {
    typed.value = currentTarget.value
    if (typed.value === '' || seen.value.includes(typed.value)) complete(typed.value)
  }
  return html`
    <label class="grow">
      ${label}
      <input
        type="text" list=${id} autocomplete="off" maxlength="100" value=${typed} oninput=${type}
        onchange=${() => complete(typed.value.trim())}
      />
      <datalist id=${id}>${seen.value.map((each) => html`<option key=${each} value=${each} />`)}</datalist>
    </label>`
}
