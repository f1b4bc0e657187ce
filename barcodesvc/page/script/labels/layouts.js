/**
 * How labels look: the four designs, the layouts that are saved, and what is printed after a person has changed one; and the
 * placeholders in their lines.
 *
 * Rule: what the page has no field for, such as an image, stays as it was saved. So do the measures of a layout that names
 * no sheet.
 */

import { LIMITS } from '../api.js'
import { locale, text } from '../language.js'
import { roll } from './sheets.js'

/** @import {Design, Layout, Line, StyledLine} from '../types.js' */

/** The fields that print a field of the product, and the lines that do the same. */
const FIELDS = /** @type {Record<string, string>} */ ({
  include_description: '{description}',
  include_category: '{category}',
  include_unit: '{unit_of_measure}',
})

/** The designs to choose from, in this order. No saved layout has such a name. */
export const DESIGNS = [':price-tag', ':shelf', ':small', ':code-only']

/** What the attribute with the price is called in many shops, in the languages of the page; and one with another price. */
const PRICE = /price|preis|prix|precio|pvp|brutto|rrp|uvp/
const COST = /(^|_)ek(_|$)|einkauf|purchase|cost|achat|compra/

/** A placeholder, or doubled braces, which print one (the service's rule). */
const BRACES = /\{\{|\}\}|\{[A-Za-z0-9_][^{}]*\}/g

/** Return the layout of a design for products with these attributes, without a sheet. @type {(design: string, attributes: string[]) => Layout} */
export function designed(design, attributes) {
  const price = attributes.find((name) => PRICE.test(name) && !COST.test(name))
  const name = { text: '{description}', bold: true, place: 'above' }
  const tag = price ? [{ text: `{attributes.${price}}`, size: 24, bold: true, place: 'above' }] : []
  if (design === ':price-tag') return { lines: [{ ...name, size: 11 }, ...tag], bar_height: 12 }
  if (design === ':shelf') return { lines: [{ ...name, size: 14 }, '{category}'], bar_height: 15 }
  if (design === ':small') return { lines: [{ ...name, size: 7 }], bar_height: 8, font_size: 6 }
  return { lines: [] }
}

/** Return the saved layout that is chosen. @param {Design} design */
export function savedOf({ saved, name }) {
  return saved.find((each) => each.name === name)?.layout
}

/** Return the layout as it is now, for products with these attributes; without a sheet it keeps its own. @type {(design: Design, sheet: string, attributes: string[]) => Layout} */
export function layoutOf(design, sheet, attributes) {
  const layout = inLines(savedOf(design) ?? designed(design.name, attributes))
  const lines = filledLines(design.lines ?? layout.lines ?? [])
  return sheet ? { ...without(layout, LIMITS.arrangement), lines, sheet } : { ...layout, lines }
}

/** Return what a layout says of labels on a sheet or a roll that is in a printer. As in the service, one for another page does not say where they are on a roll: its corrections are those of that page. @type {(layout: Layout, held: string) => Layout} */
export function layoutOn(layout, held) {
  const size = roll(held)?.sheet
  const isOther = size !== undefined && size !== roll(layout.sheet ?? '')?.sheet
  return without(layout, isOther ? [...LIMITS.arrangement, ...LIMITS.corrections] : LIMITS.arrangement)
}

/** @type {(layout: Layout, names: string[]) => Layout} */
function without(layout, names) {
  return Object.fromEntries(Object.entries(layout).filter(([name]) => !names.includes(name)))
}

/** Return a layout with the fields of the product as lines, which print the same; with too many lines it stays as it is. @type {(layout: Layout) => Layout} */
function inLines(layout) {
  const fields = Object.entries(FIELDS).flatMap(([name, line]) => (layout[name] === true ? [line] : []))
  const lines = [...fields, ...(layout.lines ?? [])]
  return lines.length > LIMITS.lines ? layout : { ...without(layout, Object.keys(FIELDS)), lines }
}

/** Return a line with all that can be said of it. @type {(line: Line) => Required<StyledLine>} */
export function styled(line) {
  return { size: 0, bold: false, place: 'below', ...(typeof line === 'string' ? { text: line } : line) }
}

/** Return the lines as they are sent: without those that are empty, and with what is not usual in them. @type {(lines: Line[]) => Line[]} */
export function filledLines(lines) {
  const filled = lines.map(styled).filter((line) => line.text.trim())
  return filled.map(({ text: typed, size, bold, place }) => {
    const unusual = { ...(size && { size }), ...(bold && { bold }), ...(place === 'above' && { place }) }
    return Object.keys(unusual).length ? { text: typed.trim(), ...unusual } : typed.trim()
  })
}

/** Return the name that a typed text means: `Regal groß` is `Regal-gross`; empty if it means none. @param {string} typed */
export function layoutName(typed) {
  const letters = typed.replaceAll('ß', 'ss').normalize('NFKD').replace(/\p{M}/gu, '')
  const plain = letters.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-.]+/, '')
  return plain.slice(0, LIMITS.layout_name).replace(/-+$/, '')
}

/** Return the parts of a line: texts and placeholders alternately, the first and the last are texts. @param {string} line */
export function partsOf(line) {
  const parts = ['']
  let start = 0
  for (const { 0: found, index } of line.matchAll(BRACES)) {
    if (found === '{{' || found === '}}') continue
    parts[parts.length - 1] = line.slice(start, index)
    parts.push(found, '')
    start = index + found.length
  }
  parts[parts.length - 1] = line.slice(start)
  return parts
}

/** Return the placeholders to insert for products with these attributes. @param {string[]} attributes */
export function placeholdersFor(attributes) {
  const usual = ['{description}', '{product_code}', '{category}', '{unit_of_measure}', '{n}']
  const date = dateFormat()
  return [...usual, ...attributes.map((name) => `{attributes.${name}}`), `{date:${date}}`, `{date+7:${date}}`]
}

/** Return what a placeholder is called, whatever its format. @param {string} placeholder */
export function placeholderName(placeholder) {
  const [, name = '', days = ''] = /^\{([\w.]+)\+?(-?\d*)/.exec(placeholder) ?? []
  if (name.startsWith('attributes.')) return name.slice('attributes.'.length)
  if (name === 'date' && days) return text('labels.chip.date-in', { count: Number(days) })
  return text(`labels.chip.${name}`, {}, text(`product.${name}`, {}, placeholder.slice(1, -1)))
}

/** Return the format of dates in the language of the page, as the service names it. */
function dateFormat() {
  const names = /** @type {Record<string, string>} */ ({ day: '%d', month: '%m', year: '%Y' })
  const usual = new Intl.DateTimeFormat(locale(), { day: '2-digit', month: '2-digit', year: 'numeric' })
  return usual
    .formatToParts(new Date())
    .map(({ type, value }) => names[type] ?? value.replaceAll('%', '%%'))
    .join('')
}
