/** Shows the keys of one scan, with which a person sets up a scanner. It looks nothing up and changes nothing. */

import { number } from '../formats.js'
import { text } from '../language.js'
import { Button, Dialog, html, Mark, showDialog, useEffect, useRef, useSignal } from '../ui.js'
import { keys as heardKeys } from './listener.js'
import { PAUSE, reportOf, withKey } from './scan_report.js'

/** Open the dialog. */
export function testScanner() {
  showDialog((close) => html`<${ScannerTest} closed=${close} />`)
}

/** @param {{closed: () => void}} props */
function ScannerTest({ closed }) {
  const keys = useRef(/** @type {import('./scan_report.js').Key[]} */ ([]))
  /** How many scans the listener has taken the keys for. */
  const scans = useRef(0)
  const timer = useRef(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined))
  const report = useSignal(/** @type {(import('./scan_report.js').Report & {scans: number}) | null} */ (null))
  useEffect(() => {
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

/** @param {import('./scan_report.js').Report & {scans: number}} props */
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
