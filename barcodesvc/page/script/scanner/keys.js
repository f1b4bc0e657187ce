/**
 * What a key types, as a wedge scanner means it.
 *
 * Rule: a scanner presses the keys of an American keyboard, whatever the computer's layout. The layout's character is passed
 * on, since the service can translate it back; a dead key makes none, and counts as the American key.
 */

/** @typedef {Pick<KeyboardEvent, 'key' | 'code' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'getModifierState'>} Pressed */

const GROUP_SEPARATOR = '\u001d'

/** Characters that end a scan: Tab, a line feed, Enter. */
export const ENDS = ['\t', '\n', '\r']

/** Keys that type something else than their name. @type {Record<string, string>} */
const NAMED = { Enter: '\r', Tab: '\t', F8: GROUP_SEPARATOR }

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
 * Return the character that a key types, or null. With Ctrl or Alt it is a person's shortcut, unless it is fast: then it is one
 * of a scanner, which types control characters with Ctrl.
 * @param {Pressed} event @param {boolean} isFast @param {boolean} [isAfterDead] whether it has the accent of the key before
 */
export function characterOf(event, isFast, isAfterDead = false) {
  const { code, metaKey, altKey, ctrlKey } = event
  const named = NAMED[event.key]
  if (named || metaKey) return named ?? null
  if (event.key === 'Dead') return deadKey(event)
  const key = isAfterDead ? withoutAccent(event.key) : event.key
  if ([...key].length !== 1) return null
  if (event.getModifierState('AltGraph')) return key
  const isShortcut = !isFast && (altKey || (ctrlKey && key !== ']'))
  if (isShortcut) return null
  return ctrlKey && !altKey ? controlOf(key, code) : key
}

/**
 * Return the digit that a key adds to the code of a character, which a scanner in ALT mode types on the number pad while it
 * holds Alt; otherwise an empty text.
 * @param {Pressed} event
 */
export function altDigit({ code, altKey, ctrlKey, metaKey }) {
  const [, digit = ''] = /^Numpad(\d)$/.exec(code) ?? []
  return altKey && !ctrlKey && !metaKey ? digit : ''
}

/** @param {Pressed} event */
function deadKey({ code, altKey, ctrlKey, shiftKey }) {
  return altKey || ctrlKey ? null : (DEAD[code]?.[Number(shiftKey)] ?? null)
}

/** A dead key's accent is joined to the next character, or comes before it. @param {string} key */
function withoutAccent(key) {
  return key.normalize('NFD').replace(/^[^a-z\d](.)$|\p{M}/iu, '$1')
}

/** The group separator is Ctrl+], also where another layout has another key there. @param {string} key @param {string} code */
function controlOf(key, code) {
  if (code === 'BracketRight') return GROUP_SEPARATOR
  const point = key.toUpperCase().charCodeAt(0)
  return point >= 0x40 && point <= 0x5f ? String.fromCharCode(point - 0x40) : null
}
