/** The placeholders in a line of text: the parts of a line, what each is called, and which there are to insert. */

import { locale, text } from '../language.js'

/** A placeholder, or doubled braces, which print one (the service's rule). */
const BRACES = /\{\{|\}\}|\{[A-Za-z0-9_][^{}]*\}/g

/** What begins the name of an attribute. */
const ATTRIBUTE = 'attributes.'

/** The placeholders that need no attribute, before the dates. */
const USUAL = ['{description}', '{product_code}', '{category}', '{unit_of_measure}', '{n}']

/** Days after which many things are to be used. */
const DAYS = 7

/** How the service writes the parts of a date. */
const DATE = /** @type {Record<string, string>} */ ({ day: '%d', month: '%m', year: '%Y' })

/**
 * Return the parts of a line: texts and placeholders alternately, the first and the last are texts.
 *
 * @param {string} line
 */
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

/**
 * Return the placeholders to insert.
 *
 * @param {string[]} attributes of the products to print
 */
export function placeholdersFor(attributes) {
  const ofProducts = attributes.map((name) => `{${ATTRIBUTE}${name}}`)
  return [...USUAL, ...ofProducts, `{date:${dateFormat()}}`, `{date+${DAYS}:${dateFormat()}}`]
}

/**
 * Return what a placeholder is called, whatever its format.
 *
 * @param {string} placeholder
 */
export function placeholderName(placeholder) {
  const [, name = '', days = ''] = /^\{([\w.]+)\+?(-?\d*)/.exec(placeholder) ?? []
  if (name.startsWith(ATTRIBUTE)) return attributeLabel(name.slice(ATTRIBUTE.length))
  if (name === 'date' && days) return text('labels.chip.date-in', { count: Number(days) })
  return text(`labels.chip.${name}`, {}, placeholder.slice(1, -1))
}

/** @param {string} name such as `vk_brutto` */
function attributeLabel(name) {
  const words = name.replaceAll('_', ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Return the format of dates in the language of the page, as the service names it. */
function dateFormat() {
  const usual = new Intl.DateTimeFormat(locale(), { day: '2-digit', month: '2-digit', year: 'numeric' })
  const parts = usual.formatToParts(new Date())
  return parts.map(({ type, value }) => DATE[type] ?? value.replaceAll('%', '%%')).join('')
}
