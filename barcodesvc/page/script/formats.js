/** Numbers and times as the reader's language writes them. */

import { locale } from './language.js'

/** @param {number} value */
export function number(value) {
  return new Intl.NumberFormat(locale()).format(value)
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
 * Return a time today as the time alone, any other with its day.
 *
 * @param {string | number | Date} value
 * @param {Date} [now]
 */
export function moment(value, now = new Date()) {
  const then = new Date(value)
  const today = then.toDateString() === now.toDateString()
  /** @type {Intl.DateTimeFormatOptions} */
  const form = today ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' }
  return new Intl.DateTimeFormat(locale(), form).format(then)
}
