/**
 * Attributes of a product: what a person typed becomes names and changes.
 *
 * Rule: only what differs from the stored attributes is sent, so that two people can change different ones at a time.
 */

import { LIMITS } from '../api.js'

/**
 * A row of the form.
 *
 * @typedef {{name: string, value: string}} Row
 */

/**
 * Return the name that a typed text or the header of a column means: `Preis (€)` is `preis`; empty if it means none.
 *
 * @param {string} typed
 */
export function attributeName(typed) {
  const plain = typed
    .replace(/^\s*attr:/i, '')
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
  return plain
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, LIMITS.attributes.name)
}

/**
 * Return the first row that cannot be stored, and why, or null. A row without a value is ignored.
 *
 * @param {Row[]} rows
 * @returns {{index: number, problem: 'name' | 'repeated'} | null}
 */
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

/**
 * Return the changes that turn the known attributes into those of the rows, null for each to be removed.
 *
 * @param {Record<string, string>} known
 * @param {Row[]} rows
 * @returns {Record<string, string | null>}
 */
export function attributeChanges(known, rows) {
  const filled = rows.filter(({ value }) => value.trim())
  const wanted = new Map(filled.map(({ name, value }) => [attributeName(name), value.trim()]))
  const removed = Object.keys(known).filter((name) => !wanted.has(name))
  const set = [...wanted].filter(([name, value]) => known[name] !== value)
  return Object.fromEntries([...removed.map((name) => /** @type {const} */ ([name, null])), ...set])
}

/** Columns of attributes until a person has chosen some. */
const USUAL = 2

/**
 * Return the names of the attributes of some products, those of most products first.
 *
 * @param {readonly {attributes: Record<string, string>}[]} products
 */
export function attributesIn(products) {
  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const name of products.flatMap(({ attributes }) => Object.keys(attributes)))
    counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one).map(([name]) => name)
}

/**
 * Return the attributes that have a column.
 *
 * @param {string} chosen the setting: names with commas between them, or `*` until a person has chosen
 * @param {readonly string[]} names those of the products, most usual first
 */
export function shownAttributes(chosen, names) {
  return chosen === '*' ? names.slice(0, USUAL) : chosen.split(',').filter(Boolean)
}
