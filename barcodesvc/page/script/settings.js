/**
 * The settings of this device, stored in the browser. Only the author's name is sent to the service.
 *
 * Rule: a value that is missing, damaged or out of bounds is its default; a browser that stores nothing (a private
 * window) still works. Tabs share them.
 */

import { LIMITS } from './limits.js'

const KEPT_AS = 'barcodesvc.settings'

export const DEFAULTS = Object.freeze({
  author: '',
  reasons: '',
  language: '',
  sounds: true,
  slowScanner: false,
  sheet: '',
  layout: '',
  printer: '',
  symbology: 'best',
  offsetX: 0,
  offsetY: 0,
  scale: 100,
  /** Whether this device has seen a product of the shop. */
  stocked: false,
})

const { offset, scale = [] } = LIMITS

/** The least and the greatest value of a number; a worker needs none. */
export const BOUNDS = Object.freeze({
  offsetX: offset,
  offsetY: offset,
  scale: scale.map((factor) => Math.round(100 * factor)),
})

/** @typedef {{-readonly [Name in keyof typeof DEFAULTS]: (typeof DEFAULTS)[Name] extends boolean ? boolean : (typeof DEFAULTS)[Name] extends number ? number : string}} Settings */

/** Fires `change` when a setting has changed. */
export const changes = new EventTarget()

let current = read(DEFAULTS)

globalThis.addEventListener?.('storage', ({ key }) => {
  if (key !== null && key !== KEPT_AS) return
  current = read(DEFAULTS)
  changes.dispatchEvent(new Event('change'))
})

/** @returns {Readonly<Settings>} */
export function settings() {
  return current
}

/** Return the reasons for a booking, which the setting separates by commas. */
export function reasonsToChoose() {
  return [...new Set(current.reasons.split(',').map((reason) => reason.trim()))].filter(Boolean)
}

/** @param {Partial<Settings>} changed */
export function change(changed) {
  current = { ...read(current), ...changed }
  try {
    localStorage.setItem(KEPT_AS, JSON.stringify(current))
  } catch {
    // full or forbidden: the setting lasts until the page is closed
  }
  changes.dispatchEvent(new Event('change'))
}

/**
 * Return whether a setting can have this value.
 *
 * @param {string} name
 * @param {unknown} value
 */
export function within(name, value) {
  const [least, greatest] = /** @type {Record<string, readonly number[]>} */ (BOUNDS)[name] ?? []
  if (least === undefined || greatest === undefined) return true
  return typeof value === 'number' && value >= least && value <= greatest
}

/**
 * Return the stored value, or else `otherwise`.
 *
 * @param {Readonly<Settings>} otherwise
 * @returns {Settings}
 */
function read(otherwise) {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT_AS) ?? 'null') ?? otherwise
    const known = Object.entries(DEFAULTS).filter(
      ([name, value]) => typeof kept[name] === typeof value && within(name, kept[name]),
    )
    return { ...DEFAULTS, ...Object.fromEntries(known.map(([name]) => [name, kept[name]])) }
  } catch {
    return { ...otherwise }
  }
}
