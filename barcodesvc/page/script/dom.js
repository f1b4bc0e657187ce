/**
 * Builds elements. Texts become text nodes and never markup, so no text of a product can do anything but be read.
 */

const SVG = 'http://www.w3.org/2000/svg'

/**
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Attributes
 */

/**
 * Return a new HTML element. An attribute that is a function listens to the event it is named after (`onclick`); one
 * that is false, null or undefined is left out; true is an attribute without a value. `value`, `checked` and
 * `disabled` are set as the element's state.
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
  made.append(...shown(children))
  return made
}

/**
 * Return a new SVG element.
 *
 * @param {string} name
 * @param {Attributes | null} [attributes]
 * @param {...Child} children
 * @returns {SVGElement}
 */
export function drawn(name, attributes, ...children) {
  const made = /** @type {SVGElement} */ (document.createElementNS(SVG, name))
  describe(made, attributes ?? {})
  made.append(...shown(children))
  return made
}

/**
 * Replace what an element holds.
 *
 * @param {Element} parent
 * @param {...Child} children
 */
export function fill(parent, ...children) {
  parent.replaceChildren(...shown(children))
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
function shown(children) {
  const kept = children.filter((child) => child !== null && child !== undefined && child !== false)
  return kept.map((child) => (child instanceof Node ? child : String(child)))
}
