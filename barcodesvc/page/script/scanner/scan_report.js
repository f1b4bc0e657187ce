/** Reads from the keys of one scan what a scanner types around the code, and how fast. Nothing here uses a document. */

/** @typedef {Pick<KeyboardEvent, 'key' | 'timeStamp'>} Pressed */
/**
 * A key as the listener reports it. `character` is what it types: empty if it ends a scan, null if it types nothing. `digits`
 * are its code if it was typed with Alt.
 *
 * @typedef {{event: Pressed, character: string | null, digits: string}} Key
 */
/**
 * What the keys of a scan say. Each character is itself or its name; `prefix` has the control characters and the AIM
 * identifier at the beginning; `mean` and `slowest` are milliseconds between two characters.
 *
 * @typedef {{characters: string[], prefix: string, suffix: string[], mean: number, slowest: number}} Report
 */

/** Milliseconds without a key after which the next one belongs to another scan. */
export const PAUSE = 600

/** Names of the control characters from 0 to 31 (ECMA-48, clause 8.3). */
const CONTROLS =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  )

/** An AIM identifier, after control characters (ISO/IEC 15424, clause 5.1). */
const PREFIX = /^\p{Cc}*(?:\][a-z]\w)?/iu

/**
 * Return the keys of a scan with one more key, or that key alone if it begins another scan.
 *
 * @param {Key[]} keys
 * @param {Key} key
 */
export function withKey(keys, key) {
  const last = keys.at(-1)
  const isNew = !last || (last.character === '' && key.character !== '')
  return isNew || key.event.timeStamp - last.event.timeStamp > PAUSE ? [key] : [...keys, key]
}

/**
 * Return what the keys of a scan say about the scanner, or null if none of them types a character.
 *
 * @param {Key[]} keys
 * @returns {Report | null}
 */
export function reportOf(keys) {
  const typed = keys.filter(({ character }) => character)
  if (!typed.length) return null
  const text = typed.map(({ character }) => character).join('')
  const gaps = typed.slice(1).map(({ event }, index) => event.timeStamp - (typed[index]?.event.timeStamp ?? 0))
  return {
    characters: [...text].map(nameOf),
    prefix: [...(PREFIX.exec(text)?.[0] ?? '')].map(nameOf).join(''),
    suffix: keys.filter(({ character }) => character === '').map(nameOfEnd),
    mean: gaps.length ? gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length : 0,
    slowest: Math.max(0, ...gaps),
  }
}

/** @param {string} character */
function nameOf(character) {
  return CONTROLS[character.charCodeAt(0)] ?? character
}

/** Return the name of a key that ends a scan; line feeds and tabs may come with Ctrl or Alt. @param {Key} key */
function nameOfEnd({ event, digits }) {
  if (event.key === 'Tab' || event.key.toLowerCase() === 'i' || Number(digits) === 9) return 'Tab'
  return event.key.toLowerCase() === 'j' || Number(digits) === 10 ? 'LF' : 'Enter'
}
