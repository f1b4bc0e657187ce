/** The test of a scanner: a dialog that shows the keys of one scan, and says what to change. It looks up and books nothing. */

import { element, fill } from '../dom.js'
import { number } from '../formats.js'
import { text } from '../language.js'
import { keys as heardKeys } from './listener.js'
import { PAUSE, reportOf, withKey } from './scan_report.js'
import { settings } from '../settings.js'

/** Open the dialog. */
export function testScanner() {
  const ended = new AbortController()
  /** @type {import('./scan_report.js').Key[]} */
  let keys = []
  /** How many scans the listener has taken the keys for. */
  let scans = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  // a button with the focus would be pressed by the Enter of a scanner that is not heard
  const title = element('h2', { id: 'scanner-test', tabindex: '-1', autofocus: true }, text('settings.test'))
  const outcome = element('div', { class: 'stack', role: 'status' })
  const dialog = element(
    'dialog',
    {
      'aria-labelledby': 'scanner-test',
      onscan: heard,
      ontrouble: (/** @type {Event} */ event) => event.preventDefault(),
      onclose: close,
    },
    element(
      'div',
      { class: 'stack' },
      title,
      element('p', null, text('scanner.how')),
      outcome,
      element('div', null, element('button', { type: 'button', onclick: () => dialog.close() }, text('close'))),
    ),
  )
  heardKeys.addEventListener('key', pressed, { signal: ended.signal })
  fill(outcome, element('p', { class: 'soft' }, text('scan.ready')))
  document.body.append(dialog)
  dialog.showModal()

  function close() {
    clearTimeout(timer)
    ended.abort()
    dialog.remove()
  }

  /** @param {Event} event */
  function pressed(event) {
    keys = withKey(keys, /** @type {CustomEvent} */ (event).detail)
    if (keys.length === 1) scans = 0
    showSoon()
  }

  /** @param {Event} event of a scan, which goes no further */
  function heard(event) {
    event.preventDefault()
    scans += 1
    showSoon()
  }

  /** Show the report when no more keys come. */
  function showSoon() {
    clearTimeout(timer)
    timer = setTimeout(() => {
      const report = reportOf(keys, scans, settings().slowScanner)
      if (!report) return
      fill(outcome, verdict(scans), ...shown(report))
      title.focus()
    }, PAUSE)
  }
}

/** @param {number} scans */
function verdict(scans) {
  const says = scans === 1 ? 'scanner.scan' : scans === 0 ? 'scanner.typing' : 'scanner.pieces'
  return element('p', null, element('span', { class: `mark ${scans === 1 ? 'good' : 'bad'}` }, text(says, { scans })))
}

/** @param {import('./scan_report.js').Report} report */
function shown({ characters, prefix, suffix, mean, slowest, advice }) {
  const pace = { mean: number(Math.round(mean)), slowest: number(Math.round(slowest)) }
  return [
    element('h3', null, text('scanner.change')),
    advice.length === 0 && element('p', null, text('scanner.right')),
    ...advice.map(({ key, values }) => element('p', null, element('bdi', null, text(`scanner.advice.${key}`, values)))),
    element('h3', null, text('scanner.characters', { count: characters.length })),
    element('ol', { class: 'row code' }, ...characters.map(cell)),
    element(
      'dl',
      { class: 'stack' },
      ...entry('scanner.prefix', prefix || text('scanner.none')),
      ...entry('scanner.suffix', suffix.join(' ') || text('scanner.none')),
      ...entry('scanner.speed', text('scanner.pace', pace)),
    ),
  ]
}

/** @param {string} character */
function cell(character) {
  return element('li', { class: 'mark' }, element('bdi', null, character === ' ' ? text('scanner.space') : character))
}

/**
 * @param {string} name
 * @param {string} value
 */
function entry(name, value) {
  return [element('div', null, element('dt', { class: 'soft' }, text(name)), element('dd', null, value))]
}
