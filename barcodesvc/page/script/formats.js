/** Numbers and times as the reader's language writes them. */

import { language } from './language.js'

/** @param {number} value */
export function number(value) {
  return new Intl.NumberFormat(language()).format(value)
}

/**
 * Return a change of a level with its sign: `+3`, `−2`, `±0`.
 *
 * @param {number} value
 */
export function signed(value) {
  if (value === 0) return '±0'
  return (value > 0 ? '+' : '−') + number(Math.abs(value))
}

/**
 * Return by how much, or to what, a booking changes a level: `+3`, `−2`, or `= 5` for a level.
 *
 * @param {{level: number | null, delta: number | null}} booking
 */
export function amountOf({ level, delta }) {
  return level === null ? signed(delta ?? 0) : `= ${number(level)}`
}

/**
 * Return a time of today as the time alone, another with its day.
 *
 * @param {string | number | Date} value
 * @param {Date} [now]
 */
export function moment(value, now = new Date()) {
  const then = new Date(value)
  const today = then.toDateString() === now.toDateString()
  /** @type {Intl.DateTimeFormatOptions} */
  const form = today ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' }
  return new Intl.DateTimeFormat(language(), form).format(then)
}

/**
 * Return the whole number that a person typed, or null where it is none. Thousands may be grouped; `1.5` is no number.
 *
 * @param {string} typed
 */
export function wholeNumber(typed) {
  const trimmed = typed.trim()
  if (!/^(\d{1,16}|\d{1,3}([\s.,'’]\d{3})+)$/.test(trimmed)) return null
  const value = Number(trimmed.replace(/\D/g, ''))
  return Number.isSafeInteger(value) ? value : null
}

/**
 * Return a day as a field of the type `date` takes it: `2026-01-31`, by the clock of this device.
 *
 * @param {Date} value
 */
export function dayOf(value) {
  const parts = [value.getFullYear(), value.getMonth() + 1, value.getDate()]
  return parts.map((part) => String(part).padStart(2, '0')).join('-')
}

/**
 * Return the moments in which a day begins and ends by the clock of this device, in UTC, or nothing of no day.
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

/**
 * Return the number that a person typed with a decimal comma or point, or null where it is none.
 *
 * @param {string} typed
 */
export function decimal(typed) {
  const plain = typed.trim().replace('−', '-').replace(',', '.')
  return /^[-+]?\d{1,6}(\.\d{0,3})?$/.test(plain) ? Number(plain) : null
}
