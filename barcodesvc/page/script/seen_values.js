/** A field whose value must match exactly, with the values seen so far to choose from. */

import { html, useEffect, useSignal } from './ui.js'

/** Most values that are offered. */
const MOST = 200

/**
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
