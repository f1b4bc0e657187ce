/**
 * Shows the keys of one scan, how the scanner ends it, and how fast it types, with which a person sets it up. It looks nothing up
 * and changes nothing.
 */

import { LIMITS } from '../api.js'
import { number } from '../formats.js'
import { text } from '../language.js'
import { Button, html, Mark, useLayoutEffect, useRef, useSignal } from '../ui.js'
import { Dialog, showDialog } from '../in_front.js'
import { ENDS } from './keys.js'
import { keys as heardKeys } from './listener.js'

/** @typedef {{character: string, time: number}} TypedKey */

/** Milliseconds without a key after which the next one belongs to another scan. */
const PAUSE = 600

/** Names of the control characters from 0 to 31 (ECMA-48, clause 8.3). */
const CONTROLS =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS Tab LF VT FF Enter SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  )

/** Open the dialog. */
export function testScanner() {
  showDialog((close) => html`<${ScannerTest} closed=${close} />`)
}

/** @param {{closed: () => void}} props */
function ScannerTest({ closed }) {
  const keys = useRef(/** @type {TypedKey[]} */ ([]))
  /** How many scans the listener has taken the keys for. */
  const scans = useRef(0)
  const timer = useRef(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined))
  const report = useSignal(/** @type {(ReturnType<typeof reportOf> & {scans: number}) | null} */ (null))
  useLayoutEffect(() => {
    heardKeys.addEventListener('key', pressed)
    return () => (clearTimeout(timer.current), heardKeys.removeEventListener('key', pressed))
  }, [])

  /** @param {Event} event */
  function pressed(event) {
    keys.current = withKey(keys.current, /** @type {CustomEvent} */ (event).detail)
    if (keys.current.length === 1) scans.current = 0
    clearTimeout(timer.current)
    timer.current = setTimeout(() => (report.value = { ...reportOf(keys.current), scans: scans.current }), PAUSE)
  }

  /** @param {Event} event of a scan, which goes no further */
  function heard(event) {
    event.preventDefault()
    scans.current += 1
  }

  // a button with the focus would be pressed by the Enter of a scanner that is not heard
  return html`
    <${Dialog} title=${text('settings.test')} closed=${closed} onscan=${heard}
      ontrouble=${(/** @type {Event} */ event) => event.preventDefault()}>
      <div class="stack">
        <p tabindex="-1" autofocus>${text('scanner.how')}</p>
        <div class="stack" role="status">
          ${report.value ? html`<${Report} ...${report.value} />` : html`<p class="soft">${text('scan.ready')}</p>`}
        </div>
        <div><${Button} onclick=${closed}>${text('close')}<//></div>
      </div>
    <//>`
}

/** @param {ReturnType<typeof reportOf> & {scans: number}} props */
function Report({ scans, characters, suffix, mean, slowest }) {
  const verdict = scans === 1 ? 'scanner.scan' : scans === 0 ? 'scanner.typing' : 'scanner.pieces'
  const pace = { mean: number(Math.round(mean)), slowest: number(Math.round(slowest)) }
  const entry = (/** @type {string} */ name, /** @type {string} */ value) =>
    html`<div><dt class="soft">${text(name)}</dt><dd>${value}</dd></div>`
  return html`
    <p><${Mark} kind=${scans === 1 ? 'good' : 'bad'}>${text(verdict, { scans })}<//></p>
    <h3>${text('scanner.characters', { count: characters.length })}</h3>
    <ol class="row code">
      ${characters.map((each) => html`<li class="mark"><bdi>${each === ' ' ? text('scanner.space') : each}</bdi></li>`)}
    </ol>
    <dl class="stack">
      ${entry('scanner.suffix', suffix.join(' ') || text('scanner.none'))}
      ${entry('scanner.speed', text('scanner.pace', pace))}
    </dl>`
}

/** Return the keys of a scan with one more key, or that key alone if it begins another scan. @param {TypedKey[]} keys @param {TypedKey} key */
export function withKey(keys, key) {
  const last = keys.at(-1)
  const isNew = !last || key.time - last.time > PAUSE || (isEnd(last) && !isEnd(key))
  return isNew ? [key] : [...keys, key].slice(0, LIMITS.scan)
}

/** Return what the keys of a scan say about the scanner; times are milliseconds between two characters. @param {TypedKey[]} keys */
export function reportOf(keys) {
  const typed = keys.filter((key) => !isEnd(key))
  const gaps = typed.slice(1).map(({ time }, index) => time - (typed[index]?.time ?? 0))
  const nameOf = (/** @type {TypedKey} */ { character }) => CONTROLS[character.charCodeAt(0)] ?? character
  return {
    characters: typed.map(nameOf),
    suffix: keys.filter(isEnd).map(nameOf),
    mean: gaps.reduce((sum, gap) => sum + gap, 0) / (gaps.length || 1),
    slowest: Math.max(0, ...gaps),
  }
}

/** @param {TypedKey} key */
function isEnd({ character }) {
  return ENDS.includes(character)
}
