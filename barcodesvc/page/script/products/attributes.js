/**
 * Attributes of a product: what a person typed becomes names and changes; and their rows in the form of the product.
 *
 * Rule: only what differs from the stored attributes is sent, so that two people can change different ones at a time.
 */

import { LIMITS } from '../api.js'
import { text } from '../language.js'
import { html, IconButton, useLayoutEffect, useRef } from '../ui.js'

/** A row of the form. @typedef {{id: number, name: string, value: string}} Row */

/** Return the name that a typed text or the header of a column means: `Preis (€)` is `preis`; empty if it means none. @param {string} typed */
export function attributeName(typed) {
  const plain = typed.replace(/^\s*attr:/i, '').replaceAll('ß', 'ss')
  return plain
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, LIMITS.attributes.name)
}

/** Return the first row that cannot be stored, and why, or null. A row without a value is ignored. @param {readonly Omit<Row, 'id'>[]} rows @returns {{index: number, problem: 'name' | 'repeated'} | null} */
export function wrongRow(rows) {
  const seen = new Set()
  for (const [index, { name, value }] of rows.entries()) {
    if (!value.trim()) continue
    if (!attributeName(name)) return { index, problem: 'name' }
    if (seen.has(attributeName(name))) return { index, problem: 'repeated' }
    seen.add(attributeName(name))
  }
  return null
}

/** Return the changes that turn the known attributes into those of the rows, null for each to be removed. @param {Record<string, string>} known @param {readonly Omit<Row, 'id'>[]} rows @returns {Record<string, string | null>} */
export function attributeChanges(known, rows) {
  const filled = rows.filter(({ value }) => value.trim())
  const wanted = new Map(filled.map(({ name, value }) => [attributeName(name), value.trim()]))
  const removed = Object.keys(known).filter((name) => !wanted.has(name))
  const set = [...wanted].filter(([name, value]) => known[name] !== value)
  return Object.fromEntries([...removed.map((name) => /** @type {const} */ ([name, null])), ...set])
}

/** Return the names of the attributes of some products, those of most products first. @param {readonly {attributes: Record<string, string>}[]} products */
export function attributesIn(products) {
  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const name of products.flatMap(({ attributes }) => Object.keys(attributes)))
    counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one).map(([name]) => name)
}

/**
 * Return the attributes that have a column: those that a person chose, or else the two most usual ones.
 *
 * @param {string} chosen the setting: names with commas between them, or `*` until a person has chosen
 * @param {readonly string[]} names those of the products, most usual first
 */
export function shownAttributes(chosen, names) {
  return chosen === '*' ? names.slice(0, 2) : chosen.split(',').filter(Boolean)
}

/** The rows, and an empty one to add another. `wrong` is the index of a row that cannot be stored, or -1. @param {{rows: import('../types.js').Signal<readonly Row[]>, wrong: number}} props */
export function AttributeRows({ rows, wrong }) {
  const node = useRef(/** @type {HTMLElement | null} */ (null))
  const names = () => node.current?.querySelectorAll('input[name=attribute]') ?? []
  const focus = (/** @type {number} */ index) => /** @type {HTMLElement} */ (names()[index])?.focus()
  useLayoutEffect(() => focus(wrong), [wrong])
  const all = rows.value
  const empty = { id: Math.max(-1, ...all.map(({ id }) => id)) + 1, name: '', value: '' }
  const field = (/** @type {Row} */ row, /** @type {'name' | 'value'} */ part, /** @type {object} */ more) => {
    const type = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget: { value } }) => {
      const typed = { ...row, [part]: value }
      rows.value = row === empty ? [...all, typed] : all.map((each) => (each === row ? typed : each))
    }
    return html`
      <input type="text" autocomplete="off" placeholder=${text(`attribute.${part}`)} value=${row[part]} oninput=${type} ...${more} />`
  }
  const remove = (/** @type {Row} */ row, /** @type {number} */ index) => {
    rows.value = all.filter((each) => each !== row)
    requestAnimationFrame(() => focus(index))
  }
  return html`
    <fieldset ref=${node}>
      <legend>${text('attribute.all')}</legend>
      <div class="attribute-rows">
        ${[...all, ...(all.length < LIMITS.attributes.most ? [empty] : [])].map(
          (row, index) => html`
          <div key=${row.id} class="attribute">
            ${field(row, 'name', { name: 'attribute', maxlength: 100, 'aria-label': text('attribute.name'), 'aria-invalid': index === wrong ? 'true' : undefined })}
            ${field(row, 'value', { maxlength: LIMITS.attributes.value, 'aria-label': text('attribute.value.of', { name: row.name }) })}
            ${row !== empty && html`<${IconButton} icon="bad" label=${text('remove', { name: row.name })} onclick=${() => remove(row, index)} />`}
          </div>`,
        )}
      </div>
    </fieldset>`
}
