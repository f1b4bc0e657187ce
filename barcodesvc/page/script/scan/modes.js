/** The modes of scanning: their order, their signs, and the one that this tab keeps. */

/** @typedef {'look-up' | 'put-in' | 'take-out' | 'set'} Mode */

/** @type {Mode[]} */
export const MODES = ['look-up', 'put-in', 'take-out', 'set']

/** The symbol of each mode. @type {Record<Mode, string>} */
export const SIGNS = { 'look-up': 'search', 'put-in': 'put-in', 'take-out': 'take-out', set: 'set' }

/** Where the tab keeps the mode that was chosen last. */
const KEPT_AS = 'barcodesvc.mode'

/**
 * Return the mode that an address names, or else the one that was chosen last in this tab; otherwise `look-up`.
 *
 * @param {string | null} named
 */
export function firstMode(named) {
  return MODES.find((mode) => mode === named) ?? MODES.find((mode) => mode === kept()) ?? 'look-up'
}

function kept() {
  try {
    return sessionStorage.getItem(KEPT_AS)
  } catch {
    return null // a browser that stores nothing
  }
}

/** @param {Mode} mode */
export function keepMode(mode) {
  try {
    sessionStorage.setItem(KEPT_AS, mode)
  } catch {
    // the address has it
  }
}
