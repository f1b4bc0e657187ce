/**
 * The add-on of a retail number: a second symbol to its right, which is lower, so that not every line or picture shows
 * it; as in the service (barcodesvc/scanning/images/add_ons.py).
 */

import { sidesOf } from './places.js'

/** @typedef {import('./zxing_codes.js').Code} Code */

/** Modules of the number. @type {Record<string, number>} */
const NUMBER = { EAN13: 95, UPCA: 95, UPCE: 51 }

/** Modules of the add-on, by its digits. @type {Record<number, number>} */
const ADD_ON = { 2: 20, 5: 47 }

/** Modules between both. */
const GAP = 9

const WITH_ADD_ON = /^(\d{8,13})\+(\d{2}|\d{5})$/

/** Return what a code is known by. @param {string} text */
export function withoutAddOn(text) {
  return text.replace(WITH_ADD_ON, '$1')
}

/** Return the width and the height of a code, without its add-on. @param {Code} code @returns {[number, number]} */
export function barsOf({ text, type, position }) {
  const [width, height] = sidesOf(position)
  const number = NUMBER[type] ?? 0
  const addOn = ADD_ON[WITH_ADD_ON.exec(text)?.[2]?.length ?? 0]
  return [addOn ? (width * number) / (number + GAP + addOn) : width, height]
}

/**
 * Return a text, or the same with the add-on that another reading of its symbol shows.
 * @param {string} text @param {string[]} others
 */
export function withAddOnOf(text, others) {
  return others.reduce((longest, other) => (other.startsWith(`${longest}+`) ? other : longest), text)
}
