/**
 * The settings of this device, stored in the browser: one signal for each, so `settings.author.value` reads or changes one.
 * Only the author's name is sent to the service.
 *
 * Rule: a value that is missing, damaged or out of bounds is its default; a browser that stores nothing (a private
 * window) still works. Tabs share them.
 */

import { batch, effect, signal } from '../library/preact.js'
import { LIMITS } from './api.js'

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
  buyingGroup: '',
  offsetX: 0,
  offsetY: 0,
  scale: 100,
  /** The name of the shop, and its logo as a data URL of a PNG. */
  shopName: '',
  logo: '',
  /** Whether a scan counts the weight or the number inside its code, if there is one. */
  embedded: false,
  /** Whether this device has seen a product of the shop. */
  stocked: false,
  /** The address of the font that this browser has. */
  font: '',
  /** The attributes that have a column in the list of products, separated by commas; `*` for the most usual ones. */
  attributes: '*',
})

/** The least and the greatest value of a number; a worker needs none. */
export const BOUNDS = Object.freeze({
  offsetX: LIMITS.offset,
  offsetY: LIMITS.offset,
  scale: (LIMITS.scale ?? []).map((factor) => Math.round(100 * factor)),
})

/** @typedef {{-readonly [Name in keyof typeof DEFAULTS]: (typeof DEFAULTS)[Name] extends boolean ? boolean : (typeof DEFAULTS)[Name] extends number ? number : string}} Settings */
/** @typedef {{[Name in keyof Settings]: import('../library/preact.js').Signal<Settings[Name]>}} Signals */

const signals = Object.entries(read()).map(([name, value]) => /** @type {const} */ ([name, signal(value)]))

export const settings = /** @type {Signals} */ (Object.fromEntries(signals))

globalThis.addEventListener?.('storage', ({ key }) => {
  if (key !== null && key !== KEPT_AS) return
  const stored = /** @type {Record<string, any>} */ (read())
  batch(() => signals.forEach(([name, each]) => (each.value = stored[name])))
})

// a setting that has changed is stored with what other tabs have stored since
for (const [name, each] of signals)
  effect(() => {
    const { value } = each
    const stored = /** @type {Record<string, unknown>} */ (read())
    if (stored[name] !== value) store({ ...stored, [name]: value })
  })

/** Return the reasons for a stock change, which the setting separates by commas. */
export function reasonsToChoose() {
  return [...new Set(settings.reasons.value.split(',').map((reason) => reason.trim()))].filter(Boolean)
}

/** Whether a setting can have this value. @param {string} name @param {unknown} value */
export function within(name, value) {
  const [least, greatest] = /** @type {Record<string, readonly number[]>} */ (BOUNDS)[name] ?? []
  if (least === undefined || greatest === undefined) return true
  return typeof value === 'number' && value >= least && value <= greatest
}

/** Return what is stored, or else the defaults. @returns {Settings} */
function read() {
  try {
    const stored = JSON.parse(localStorage.getItem(KEPT_AS) ?? '{}') ?? {}
    const known = Object.entries(DEFAULTS).filter(
      ([name, value]) => typeof stored[name] === typeof value && within(name, stored[name]),
    )
    return { ...DEFAULTS, ...Object.fromEntries(known.map(([name]) => [name, stored[name]])) }
  } catch {
    return { ...DEFAULTS }
  }
}

/** @param {object} values */
function store(values) {
  try {
    localStorage.setItem(KEPT_AS, JSON.stringify(values))
  } catch {
    // full or forbidden: the setting lasts until the page is closed
  }
}

/**
 * A value that is no setting, which the browser keeps as JSON; what has read it is drawn again when another one is stored.
 * If the browser stores nothing, it lasts until the page is closed.
 *
 * @param {'localStorage' | 'sessionStorage'} storage for all tabs of the device, or for this tab
 * @param {string} name
 */
export function keptValue(storage, name) {
  let unstored = 'null'
  const timesStored = signal(0)

  return {
    /** Return the value, or null if there is none, or if it is damaged. @returns {unknown} */
    read() {
      void timesStored.value
      try {
        return JSON.parse(globalThis[storage].getItem(name) ?? unstored)
      } catch {
        return JSON.parse(unstored)
      }
    },
    /** @param {unknown} value */
    store(value) {
      const written = JSON.stringify(value)
      try {
        globalThis[storage].setItem(name, written)
      } catch {
        unstored = written // full or forbidden
      }
      timesStored.value = timesStored.peek() + 1
    },
  }
}
