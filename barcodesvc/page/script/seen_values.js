/** A field whose value must match exactly, with the values seen so far to choose from. */

import { html } from './ui.js'

/** Most values that are offered. */
const MOST = 200

/**
 * `choose` is called with a complete value: one that was chosen, left, or emptied. `typed` holds what the field contains.
 *
 * @param {{id: string, label: string, typed: import('./types.js').Signal<string>, seen: readonly string[], choose: (value: string) => void}} props
 */
export function SeenValues({ id, label, typed, seen, choose }) {
  const type = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget: { value } }) => {
    typed.value = value
    if (value === '' || seen.includes(value)) choose(value)
  }
  return html`
    <label class="grow">
      ${label}
      <input
        type="text" list=${id} autocomplete="off" maxlength="100" value=${typed} oninput=${type}
        onchange=${() => choose(typed.value.trim())}
      />
      <datalist id=${id}>${seen.map((each) => html`<option key=${each} value=${each} />`)}</datalist>
    </label>`
}

/**
 * Return the values seen so far, in their order, with those of a list.
 *
 * @param {readonly string[]} seen
 * @param {readonly string[]} found
 */
export function withSeen(seen, found) {
  const all = new Set([...seen, ...found.filter(Boolean)])
  return all.size === seen.length ? seen : [...all].slice(0, MOST).sort()
}
