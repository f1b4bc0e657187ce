/**
 * Reads from the keys of one scan how a scanner is set up, and what to change.
 *
 * Rule: the code is not known here, so advice that depends on it is conditional. Nothing here uses a document.
 */

import { SLOW, USUAL } from './wedge.js'

/**
 * A key as the listener reports it. `character` is what it types: empty if it ends a scan, null if it types nothing. `digits`
 * are its code if it was typed with Alt.
 *
 * @typedef {Pick<KeyboardEvent, 'key' | 'code' | 'shiftKey' | 'timeStamp' | 'getModifierState'>} Pressed
 * @typedef {{event: Pressed, character: string | null, digits: string}} Key
 *
 * @typedef {object} Report
 * @property {string[]} characters each by itself, or by its name
 * @property {string} prefix control characters and the AIM identifier at the beginning
 * @property {string[]} suffix the keys that end the scan
 * @property {number} mean milliseconds between two characters
 * @property {number} slowest the longest time between two characters, in milliseconds
 * @property {{key: string, values?: Record<string, string>}[]} advice texts that say what to change
 */

/** Milliseconds without a key after which the next one belongs to another scan. */
export const PAUSE = 600

/** The fewest characters of a scan. */
const FEWEST = 3

/** Names of the control characters from 0 to 31 (ECMA-48, clause 8.3). */
const CONTROLS =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  )

/** What the keys for digits and signs type on an American keyboard, without and with Shift. @type {Record<string, string>} */
const AMERICAN = {
  Backquote: '`~',
  Digit1: '1!',
  Digit2: '2@',
  Digit3: '3#',
  Digit4: '4$',
  Digit5: '5%',
  Digit6: '6^',
  Digit7: '7&',
  Digit8: '8*',
  Digit9: '9(',
  Digit0: '0)',
  Minus: '-_',
  Equal: '=+',
  BracketLeft: '[{',
  BracketRight: ']}',
  Backslash: '\\|',
  Semicolon: ';:',
  Quote: '\'"',
  Comma: ',<',
  Period: '.>',
  Slash: '/?',
}

/** An AIM identifier, after control characters (ISO/IEC 15424, clause 5.1). */
const PREFIX = /^\p{Cc}*(?:\][a-z]\w)?/iu

/** AIM identifiers of codes with GS1 element strings (GS1 General Specifications, 3.1.3). */
const GS1 = /^\](?:C1|d2|Q3|e0|J1)/

/**
 * Lengths of elements that no separator ends, with their first two digits (GS1 General Specifications, figure 7.8.5-2).
 *
 * @type {[number, string[]][]}
 */
const FIXED = [
  [4, ['20']],
  [8, ['11', '12', '13', '14', '15', '16', '17', '18', '19']],
  [10, ['31', '32', '33', '34', '35', '36']],
  [16, ['01', '02', '03', '41']],
  [18, ['04']],
  [20, ['00']],
]

/** Something that looks like one more element: a batch, a date, a serial number, a count. */
const ONE_MORE = /^..\d*.+?(?:10|1[1357]\d{6}|21|30|37)./

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
 * @param {number} scans how many scans the listener took them for
 * @param {boolean} isSlow whether the setting for slow scanners is on
 * @returns {Report | null}
 */
export function reportOf(keys, scans, isSlow) {
  const typed = keys.filter(({ character }) => character)
  if (!typed.length) return null
  const text = typed.map(({ character }) => character).join('')
  const gaps = typed.slice(1).map(({ event }, index) => event.timeStamp - (typed[index]?.event.timeStamp ?? 0))
  const slowest = Math.max(0, ...gaps)
  const ends = keys.filter(({ character }) => character === '')
  const pace = isSlow ? SLOW : USUAL
  const endsSlowly = scans !== 1 && ends[0] !== undefined && gapBefore(keys, ends[0]) >= pace.gap
  const advice = [
    typed.length < FEWEST && { key: 'short' },
    ends.length === 0 && { key: 'suffix' },
    (slowest >= pace.gap || endsSlowly) && { key: isSlow || slowest >= SLOW.gap ? 'slower' : 'slow' },
    typed.some(hasSwappedCase) && { key: 'caps' },
    layoutAdvice(typed, text),
    lacksSeparator(text) && { key: 'separator' },
    ...keys
      .filter(({ character }) => character === null)
      .map(({ event }) => ({ key: 'key', values: { key: event.key } })),
  ]
  return {
    characters: [...text].map(nameOf),
    prefix: [...(PREFIX.exec(text)?.[0] ?? '')].map(nameOf).join(''),
    suffix: ends.map(nameOfEnd),
    mean: gaps.length ? gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length : 0,
    slowest,
    advice: advice.filter((each) => each !== false && each !== null),
  }
}

/**
 * @param {Key[]} keys
 * @param {Key} key
 */
function gapBefore(keys, key) {
  return key.event.timeStamp - (keys[keys.indexOf(key) - 1]?.event.timeStamp ?? 0)
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

/** Whether Caps Lock changes a letter: not if it was typed with Alt, by its code. @param {Key} key */
function hasSwappedCase({ event, character, digits }) {
  return digits === '' && event.getModifierState('CapsLock') && /\p{L}/u.test(character ?? '')
}

/**
 * Return advice if another text results from the same keys of an American keyboard.
 *
 * @param {Key[]} typed
 * @param {string} text
 */
function layoutAdvice(typed, text) {
  const american = typed.map(americanOf).join('')
  return american.toLowerCase() !== text.toLowerCase() && { key: 'layout', values: { american } }
}

/** @param {Key} key */
function americanOf({ event, character, digits }) {
  const given = character ?? ''
  if (digits !== '' || given < ' ') return given
  const [, letter] = /^Key([A-Z])$/.exec(event.code) ?? []
  if (letter) return given === given.toLowerCase() ? letter.toLowerCase() : letter
  return AMERICAN[event.code]?.[Number(event.shiftKey)] ?? given
}

/**
 * Whether a text looks like GS1 element strings in which a separator is missing.
 *
 * @param {string} text
 */
export function lacksSeparator(text) {
  const isGs1 = GS1.test(text) || /^01\d{14}./.test(text)
  if (!isGs1 || text.includes('\u001d')) return false
  let rest = text.replace(GS1, '')
  for (;;) {
    const begin = rest.slice(0, 2)
    const fixed = FIXED.find(([, begins]) => begins.includes(begin))
    if (!fixed) return ONE_MORE.test(rest)
    rest = rest.slice(fixed[0])
  }
}
