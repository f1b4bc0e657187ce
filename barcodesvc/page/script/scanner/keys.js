/**
 * What a key types, as a wedge scanner means it.
 *
 * Rule: a scanner presses the keys of an American keyboard, whatever the computer's layout. The layout's character is
 * passed on, since the service can translate it back; a dead key makes none, and counts as the American key. The
 * group separator of GS1 codes comes as Ctrl+], as F8 or as Alt+029.
 *
 * @typedef {Pick<KeyboardEvent, 'key' | 'code' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'getModifierState'>} Pressed
 */

const GROUP_SEPARATOR = '\u001d'

/** Character codes of Enter, a line feed and Tab. */
const ENDS = [9, 10, 13]

/** American keys that are dead on other layouts, without and with Shift. @type {Record<string, string>} */
const DEAD = {
  Backquote: '`~',
  Digit6: '6^',
  Equal: '=+',
  BracketLeft: '[{',
  BracketRight: ']}',
  Semicolon: ';:',
  Quote: '\'"',
}

/**
 * Whether a key ends a scan. Scanners type a carriage return, a line feed and a tab as Ctrl with M, J and I too.
 * @param {Pressed} event @param {boolean} scanning
 */
export function ends(event, scanning) {
  if (event.key === 'Enter' || event.key === 'Tab') return true
  return scanning && event.ctrlKey && !event.altKey && ['i', 'j', 'm'].includes(event.key.toLowerCase())
}

/**
 * Return the character that a key types, or null. A key with Ctrl, Alt or the like is a person's shortcut, unless it
 * follows others as fast as a scanner types.
 * @param {Pressed} event @param {boolean} fast
 * @param {boolean} [afterDead] whether the key before was a dead one, whose accent is part of this one's
 */
export function characterOf(event, fast, afterDead = false) {
  const { metaKey, altKey, ctrlKey } = event
  const key = afterDead ? withoutAccent(event.key) : event.key
  if (metaKey) return null
  if (key === 'F8' && !altKey && !ctrlKey) return GROUP_SEPARATOR
  if (key === 'Dead') return deadCharacter(event)
  if ([...key].length !== 1) return null
  if (event.getModifierState('AltGraph')) return key
  if (ctrlKey && !altKey) return fast || key === ']' ? controlOf(event) : null
  return altKey && !fast ? null : key
}

/**
 * Return the digit that a key adds to a character's code: a scanner in ALT mode holds Alt and types the code on the
 * number pad. Otherwise null.
 * @param {Pressed} event
 */
export function altDigit({ code, altKey, ctrlKey, metaKey }) {
  const [, digit] = /^Numpad(\d)$/.exec(code) ?? []
  return digit !== undefined && altKey && !ctrlKey && !metaKey ? digit : null
}

/** Return the character of a code that was typed with Alt; one that ends a scan is empty. @param {string} digits */
export function altCharacter(digits) {
  const code = Number(digits) % 0x100
  if (ENDS.includes(code)) return ''
  return new TextDecoder('windows-1252').decode(Uint8Array.of(code))
}

/**
 * Return a key without the accent of a dead key before it, which is joined to it, or comes before it.
 * @param {string} key
 */
function withoutAccent(key) {
  return key.normalize('NFD').replace(/^[^a-z\d](.)$|\p{M}/iu, '$1')
}

/** @param {Pressed} event of a dead key */
function deadCharacter({ code, altKey, ctrlKey, shiftKey }) {
  if (altKey || ctrlKey) return null
  return DEAD[code]?.[Number(shiftKey)] ?? null
}

/**
 * Return the control character that Ctrl with a key types: the group separator is Ctrl+], even if the scanner's keyboard is
 * an English one and the system's is not.
 * @param {Pressed} event
 */
function controlOf({ code, key }) {
  if (code === 'BracketRight') return GROUP_SEPARATOR
  const point = key.toUpperCase().charCodeAt(0)
  return point >= 0x40 && point <= 0x5f ? String.fromCharCode(point - 0x40) : null
}
