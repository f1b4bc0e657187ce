/**
 * Shows the keys of one scan, what the scanner types around the code, and how fast, with which a person sets it up. It looks
 * nothing up and changes nothing.
 */

import { number } from '../formats.js'
import { text } from '../language.js'
import { Button, html, Mark, useLayoutEffect, useRef, useSignal } from '../ui.js'
import { Dialog, showDialog } from '../in_front.js'
import { keys as heardKeys } from './listener.js'

/** @typedef {import('../types.js').ScannerKey} ScannerKey */

/**
 * What the keys of a scan say. Each character is itself or its name; `prefix` has the control characters and the AIM
 * identifier at the beginning; `mean` and `slowest` are milliseconds between two characters.
 *
 * @typedef {{characters: string[], prefix: string, suffix: string[], mean: number, slowest: number}} Report
 */

/** Milliseconds without a key after which the next one belongs to another scan. */
const PAUSE = 600

/** Names of the control characters from 0 to 31 (ECMA-48, clause 8.3). */
const CONTROLS =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  )

/** An AIM identifier, after control characters (ISO/IEC 15424, clause 5.1). */
const PREFIX = /^\p{Cc}*(?:\][a-z]\w)?/iu

/** Open the dialog. */
export function testScanner() {
  showDialog((close) => html`<${ScannerTest} closed=${close} />`)
}

/** @param {{closed: () => void}} props */
function ScannerTest({ closed }) {
  const keys = useRef(/** @type {ScannerKey[]} */ ([]))
  /** How many scans the listener has taken the keys for. */
  const scans = useRef(0)
  const timer = useRef(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined))
  const report = useSignal(/** @type {(Report & {scans: number}) | null} */ (null))
  useLayoutEffect(() => {
    heardKeys.addEventListener('key', pressed)
    return () => (clearTimeout(timer.current), heardKeys.removeEventListener('key', pressed))
  }, [])

  /** @param {Event} event */
  function pressed(event) {
    keys.current = withKey(keys.current, /** @type {CustomEvent} */ (event).detail)
    if (keys.current.length === 1) scans.current = 0
    showSoon()
  }

  /** @param {Event} event of a scan, which goes no further */
  function heard(event) {
    event.preventDefault()
    scans.current += 1
    showSoon()
  }

  /** Show the report when no more keys come. */
  function showSoon() {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      const made = reportOf(keys.current)
      if (made) report.value = { ...made, scans: scans.current }
    }, PAUSE)
  }

  // a button with the focus would be pressed by the Enter of a scanner that is not heard
  return html`
    <${Dialog} title=${text('settings.test')} closed=${closed} onscan=${heard} ontrouble=${ignore}>
      <div class="stack">
        <p tabindex="-1" autofocus>${text('scanner.how')}</p>
        <div class="stack" role="status">
          ${report.value ? html`<${Keys} ...${report.value} />` : html`<p class="soft">${text('scan.ready')}</p>`}
        </div>
        <div><${Button} onclick=${closed}>${text('close')}<//></div>
      </div>
    <//>`
}

/** @param {Event} event */
function ignore(event) {
  event.preventDefault()
}

/** @param {Report & {scans: number}} props */
function Keys({ scans, characters, prefix, suffix, mean, slowest }) {
  const verdict = scans === 1 ? 'scanner.scan' : scans === 0 ? 'scanner.typing' : 'scanner.pieces'
  const pace = { mean: number(Math.round(mean)), slowest: number(Math.round(slowest)) }
  return html`
    <p><${Mark} kind=${scans === 1 ? 'good' : 'bad'}>${text(verdict, { scans })}<//></p>
    <h3>${text('scanner.characters', { count: characters.length })}</h3>
    <ol class="row code">
      ${characters.map((each) => html`<li class="mark"><bdi>${each === ' ' ? text('scanner.space') : each}</bdi></li>`)}
    </ol>
    <dl class="stack">
      <${Entry} name="scanner.prefix" value=${prefix || text('scanner.none')} />
      <${Entry} name="scanner.suffix" value=${suffix.join(' ') || text('scanner.none')} />
      <${Entry} name="scanner.speed" value=${text('scanner.pace', pace)} />
    </dl>`
}

/** @param {{name: string, value: string}} props */
function Entry({ name, value }) {
  return html`<div><dt class="soft">${text(name)}</dt><dd>${value}</dd></div>`
}

/**
 * Return the keys of a scan with one more key, or that key alone if it begins another scan.
 * @param {ScannerKey[]} keys @param {ScannerKey} key
 */
export function withKey(keys, key) {
  const last = keys.at(-1)
  const isNew = !last || (last.character === '' && key.character !== '')
  return isNew || key.event.timeStamp - last.event.timeStamp > PAUSE ? [key] : [...keys, key]
}

/**
 * Return what the keys of a scan say about the scanner, or null if none of them types a character.
 * @param {ScannerKey[]} keys @returns {Report | null}
 */
export function reportOf(keys) {
  const typed = keys.filter(({ character }) => character)
  if (!typed.length) return null
  const content = typed.map(({ character }) => character).join('')
  const gaps = typed.slice(1).map(({ event }, index) => event.timeStamp - (typed[index]?.event.timeStamp ?? 0))
  return {
    characters: [...content].map(nameOf),
    prefix: [...(PREFIX.exec(content)?.[0] ?? '')].map(nameOf).join(''),
    suffix: keys.filter(({ character }) => character === '').map(nameOfEnd),
    mean: gaps.length ? gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length : 0,
    slowest: Math.max(0, ...gaps),
  }
}

/** @param {string} character */
function nameOf(character) {
  return CONTROLS[character.charCodeAt(0)] ?? character
}

/** Return the name of a key that ends a scan; line feeds and tabs may come with Ctrl or Alt. @param {ScannerKey} key */
function nameOfEnd({ event, digits }) {
  if (event.key === 'Tab' || event.key.toLowerCase() === 'i' || Number(digits) === 9) return 'Tab'
  return event.key.toLowerCase() === 'j' || Number(digits) === 10 ? 'LF' : 'Enter'
}
