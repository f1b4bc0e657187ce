/** A button that opens what belongs to it. Escape, a press elsewhere, and the focus elsewhere close it. */

import { html, Icon, useEffect, useRef } from './ui.js'

/** @param {{icon: string, label: string, children: import('./types.js').Children}} props */
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
