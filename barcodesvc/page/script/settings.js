/**
 * The settings of this device, kept in the browser. Nothing of them goes to the service but the author's name.
 *
 * Rule: a value that is missing or damaged is its default; a browser that keeps nothing (a private window) still works.
 */

const KEPT_AS = 'barcodesvc.settings'

export const DEFAULTS = Object.freeze({
  author: '',
  language: '',
  sounds: true,
  slowScanner: false,
  sheet: 'L7160',
  symbology: 'CODE128',
  offsetX: 0,
  offsetY: 0,
  scale: 100,
})

/** @typedef {{-readonly [Name in keyof typeof DEFAULTS]: (typeof DEFAULTS)[Name] extends boolean ? boolean : (typeof DEFAULTS)[Name] extends number ? number : string}} Settings */

/** Fires `change` when a setting has changed. */
export const changes = new EventTarget()

let current = read()

/** @returns {Readonly<Settings>} */
export function settings() {
  return current
}

/** @param {Partial<Settings>} changed */
export function change(changed) {
  current = { ...current, ...changed }
  try {
    localStorage.setItem(KEPT_AS, JSON.stringify(current))
  } catch {
    // full or forbidden: the setting lasts until the page is closed
  }
  changes.dispatchEvent(new Event('change'))
}

/** @returns {Settings} */
function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT_AS) ?? '{}')
    const known = Object.entries(DEFAULTS).filter(([name, value]) => typeof kept[name] === typeof value)
    return { ...DEFAULTS, ...Object.fromEntries(known.map(([name]) => [name, kept[name]])) }
  } catch {
    return { ...DEFAULTS }
  }
}
