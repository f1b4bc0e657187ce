/**
 * Builds elements. Texts become text nodes and never markup, so a product's text can only be read.
 */

import { draw, html, Icon } from './ui.js'

/**
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Attributes
 */

/**
 * Return a new HTML element. A function as attribute listens to the event of that name (`onclick`); false, null or
 * undefined leaves an attribute out; true is an attribute without a value. `value`, `checked` and `disabled` are set
 * as the element's state.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes | null} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes, ...children) {
  const made = document.createElement(name)
  describe(made, attributes ?? {})
  made.append(...asNodes(children))
  return made
}

/** Return an icon. @param {string} name */
export function symbol(name) {
  return /** @type {Element} */ (draw(html`<${Icon} name=${name} />`).node.firstElementChild)
}

/**
 * Replace the contents of an element.
 *
 * @param {Element} parent
 * @param {...Child} children
 */
export function fill(parent, ...children) {
  parent.replaceChildren(...asNodes(children))
}

/**
 * @param {Element} made
 * @param {Attributes} attributes
 */
function describe(made, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name.slice(2), value)
    else if (['value', 'checked', 'disabled'].includes(name)) Object.assign(made, { [name]: value ?? '' })
    else if (value !== false && value !== null && value !== undefined) {
      made.setAttribute(name, value === true ? '' : String(value))
    }
  }
}

/**
 * @param {Child[]} children
 * @returns {(Node | string)[]}
 */
function asNodes(children) {
  const kept = children.filter((child) => child !== null && child !== undefined && child !== false)
  return kept.map((child) => (child instanceof Node ? child : String(child)))
}
