/**
 * Builds elements. Texts become text nodes and never markup, so a product's text can only be read.
 */

const SVG = 'http://www.w3.org/2000/svg'

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

/**
 * Return a new SVG element.
 *
 * @param {string} name
 * @param {Attributes | null} [attributes]
 * @param {...Child} children
 * @returns {SVGElement}
 */
export function svg(name, attributes, ...children) {
  const made = /** @type {SVGElement} */ (document.createElementNS(SVG, name))
  describe(made, attributes ?? {})
  made.append(...asNodes(children))
  return made
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

/** The element of each key, by the list that they are in. @type {WeakMap<Element, Map<unknown, Element>>} */
const listed = new WeakMap()

/**
 * Show one element for each item of a list, in its order. The element of a key stays the same, so that its focus and what
 * is typed into it are kept. Only elements that are out of place move.
 *
 * @template Item
 * @param {Element} parent which contains nothing else
 * @param {Item[]} items
 * @param {(item: Item) => unknown} keyOf
 * @param {(item: Item, existing: Element | null) => Element} render returns the existing element, updated, or a new one
 */
export function keyed(parent, items, keyOf, render) {
  const before = listed.get(parent) ?? new Map()
  const now = new Map(items.map((item) => [keyOf(item), render(item, before.get(keyOf(item)) ?? null)]))
  const wanted = new Set(now.values())
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove()
  let place = parent.firstElementChild
  for (const child of wanted) {
    if (child === place) place = place.nextElementSibling
    else parent.insertBefore(child, place)
  }
  listed.set(parent, now)
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

/** Whether keys go into a field. @param {Element | null} focused */
export function isTypedInto(focused) {
  return Boolean(focused?.matches('input:not([type=radio], [type=checkbox], [type=file]), select, textarea'))
}
