/** Numbers and times as the reader's language writes them, and as a person types them. */

import { locale } from './language.js'

/** @param {number} value */
export function number(value) {
  return new Intl.NumberFormat(locale()).format(value)
}

/** Return a change of a level with its sign: `+3`, `−2`, `±0`. @param {number} value */
export function signed(value) {
  if (value === 0) return '±0'
  return (value > 0 ? '+' : '−') + number(Math.abs(value))
}

/**
 * Return by how much, or to what, a booking changes a level: `+3`, `−2`, `+12 (2 × 6)` for packs, `= 5` for a level, and `+…` for
 * what is inside a code, until the service has counted it.
 *
 * @param {Pick<import('./types.js').Booking, 'level' | 'delta' | 'embedded'> & {result?: import('./types.js').Result | null}} booking @param {number} [pack] the pieces of its code
 */
export function amountOf({ level, delta, embedded, result }, pack = result?.pack ?? 1) {
  if (level !== null) return `= ${number(level)}`
  const pieces = result ? result.newLevel - result.oldLevel : (delta ?? 0) * pack
  return embedded && !result ? `${signed(pieces).charAt(0)}…` : `${signed(pieces)}${inPacks(pieces, pack)}`
}

/** Return of how many packs a number of pieces is, after it: ` (2 × 6)`; nothing for single pieces. @param {number} pieces @param {number} pack */
export function inPacks(pieces, pack) {
  return pack > 1 && pieces !== 0 ? ` (${number(Math.abs(pieces) / pack)} × ${number(pack)})` : ''
}

/** Return a decimal number of the service as the language writes it, with all of its decimals. @param {string} value */
export function exact(value) {
  const { length: digits } = value.split('.')[1] ?? ''
  return new Intl.NumberFormat(locale(), { minimumFractionDigits: digits }).format(Number(value))
}

/** Return a time today as the time alone, any other with its day. @param {string | number | Date} value @param {Date} [now] */
export function moment(value, now = new Date()) {
  const then = new Date(value)
  const today = then.toDateString() === now.toDateString()
  /** @type {Intl.DateTimeFormatOptions} */
  const form = today ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' }
  return new Intl.DateTimeFormat(locale(), form).format(then)
}

/**
 * Return the whole number that a person typed, or null if it is not one. Thousands may be grouped as in the locale, or
 * by spaces; a decimal sign is rejected: `1.500` is not a whole number in English.
 *
 * @param {string} typed
 */
export function wholeNumber(typed) {
  const mark = new Intl.NumberFormat(locale()).formatToParts(1e6).find(({ type }) => type === 'group')?.value
  const trimmed = typed.trim().replaceAll(mark ?? ' ', ' ')
  if (!/^(\d{1,16}|\d{1,3}([\s'’]\d{3})+)$/.test(trimmed)) return null
  const value = Number(trimmed.replace(/\D/g, ''))
  return Number.isSafeInteger(value) ? value : null
}

/** Return a day in the format of a `date` field: `2026-01-31`, by the clock of this device. @param {Date} value */
export function dayOf(value) {
  const parts = [value.getFullYear(), value.getMonth() + 1, value.getDate()]
  return parts.map((part) => String(part).padStart(2, '0')).join('-')
}

/**
 * Return the moments in which a day begins and ends by the clock of this device, in UTC, or nothing without a day.
 *
 * @param {string} day
 * @returns {{begin?: string, end?: string}}
 */
export function boundsOf(day) {
  const begin = new Date(`${day}T00:00`)
  if (Number.isNaN(begin.getTime())) return {}
  const next = new Date(begin.getFullYear(), begin.getMonth(), begin.getDate() + 1)
  return { begin: begin.toISOString(), end: new Date(next.getTime() - 1).toISOString() }
}

/** Return the number that a person typed with a decimal comma or point, or null if it is not one. @param {string} typed */
export function decimal(typed) {
  const plain = typed.trim().replace('−', '-').replace(',', '.')
  return /^[-+]?\d{1,6}(\.\d{0,3})?$/.test(plain) ? Number(plain) : null
}
