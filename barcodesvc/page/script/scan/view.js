/**
 * The start view: a scan shows its product, and in the booking modes changes its level.
 *
 * Rule: the empty view needs few bytes. What a scan leads to (`ScanDesk`) is loaded when it is first needed; scans made
 * meanwhile wait, in their order. The mode is in the address, or else the last one of this tab.
 */

import { bookings, opened } from '../bookings/sending.js'
import { openDialog } from '../dialogs.js'
import { element } from '../dom.js'
import { text } from '../language.js'
import { firstMode, keepMode, MODES, SIGNS } from './modes.js'
import { cameraPanel } from '../camera/panel.js'
import { codeField } from './code_field.js'
import { bad } from '../sounds.js'
import { symbol } from '../symbols.js'
import { needed } from '../version.js'

/** @typedef {import('./modes.js').Mode} Mode */
/** @typedef {import('./desk.js').ScanDesk} ScanDesk */

/**
 * @param {import('../router.js').Route} route
 * @returns {Promise<import('../router.js').View>}
 */
export async function open({ query }) {
  const view = new ScanView(firstMode(query.get('mode')))
  await view.begin()
  return {
    node: view.node,
    title: text('view.scan'),
    scan: (code) => view.scan(code),
    keep: (code) => view.desk?.keep(code) ?? false,
    arrive: (code) => view.use((desk) => desk.enter(code)),
    type: (typed) => view.type(typed),
    takeBack: (typed) => view.use(({ keys, pad }) => (keys.forget(), pad.takeBack(typed))),
    close: () => view.close(),
  }
}

class ScanView {
  /** @param {Mode} mode */
  constructor(mode) {
    this.mode = mode
    this.ended = new AbortController()
    /** @type {ScanDesk | null} */
    this.desk = null
    /** @type {Promise<ScanDesk> | null} */
    this.loading = null
    this.panel = emptyPanel()
    this.modeHint = element('p', { class: 'hint soft', role: 'status' })
    this.entry = codeField(
      (code, typed) => (this.desk ? this.desk.scanned(code, typed) : this.scan(code)),
      (code) => this.use((desk) => desk.enter(code)),
    )
    const camera = cameraPanel(
      (code, type) => this.scan(code, type),
      this.ended.signal,
      (state, message) => this.use((desk) => desk.say(state, message)),
    )
    const modes = modeChoice(mode, (chosen) => this.choose(chosen))
    this.node = element(
      'div',
      { class: 'view scan' },
      element('h1', { class: 'unseen' }, text('view.scan')),
      element('div', { class: 'product-side' }, camera.node, modes, this.panel, this.modeHint),
      element('div', { class: 'entry' }, this.entry.node),
    )
    this.name()
  }

  /** Load at once what a booking mode needs; otherwise once bookings are listed, or a person is about to scan. */
  async begin() {
    const { signal } = this.ended
    const prepare = () => this.use(() => undefined)
    window.addEventListener('keydown', (event) => this.pressed(event), { signal })
    for (const type of ['click', 'focusin']) this.node.addEventListener(type, prepare, { once: true })
    if (this.mode !== 'look-up') {
      await bookings().catch(() => undefined)
      await this.load().catch(() => undefined)
    }
    void opened.then(prepare)
  }

  load() {
    const { node, panel, entry, mode, ended } = this
    this.loading ??= needed(import('./desk.js')).then(
      ({ ScanDesk }) => (this.desk = new ScanDesk({ node, panel, entry, mode, signal: ended.signal })),
    )
    return this.loading
  }

  /** @param {(desk: ScanDesk) => void} action */
  use(action) {
    if (this.ended.signal.aborted) return
    this.load().then(action, ({ message }) => {
      this.loading = null
      bad()
      this.panel.textContent = message
    })
  }

  /**
   * @param {string} code
   * @param {string} [type] its symbology, if the camera has read it
   */
  scan(code, type) {
    this.use((desk) => desk.scan(code, type))
    return true
  }

  /** @param {Mode} chosen */
  choose(chosen) {
    this.use((desk) => desk.choose(chosen))
    this.mode = chosen
    this.name()
    history.replaceState(null, '', chosen === 'look-up' ? '#scan' : `#scan?mode=${chosen}`)
  }

  name() {
    const { mode, node, panel } = this
    keepMode(mode)
    node.dataset['mode'] = mode
    panel.querySelector('.edge')?.replaceChildren(symbol(SIGNS[mode]))
    this.modeHint.textContent = text(`mode.${mode}.says`)
    this.entry.name(mode)
  }

  /** @param {string} typed */
  type(typed) {
    if (openDialog()) return false
    if (this.desk) return this.desk.type(typed)
    this.use((desk) => void desk.type(typed))
    return true
  }

  /** Keys may come while the desk loads. @param {KeyboardEvent} event */
  pressed(event) {
    if (this.desk) this.desk.pad.pressed(event)
    else if (this.loading) this.use((desk) => desk.pad.pressed(event))
  }

  close() {
    this.desk?.leave()
    this.ended.abort()
  }
}

/** The panel of the last scanned product, before there is one. */
function emptyPanel() {
  return element(
    'section',
    { class: 'card product', 'aria-label': text('scan.product'), 'data-state': 'ready' },
    element('span', { class: 'edge' }),
    element('p', { class: 'message' }, text('scan.ready')),
  )
}

/**
 * @param {Mode} chosen
 * @param {(mode: Mode) => void} choose
 */
function modeChoice(chosen, choose) {
  const options = MODES.map((mode) =>
    element(
      'label',
      { class: 'mode', 'data-mode': mode },
      element('input', {
        type: 'radio',
        name: 'mode',
        value: mode,
        checked: mode === chosen,
        onchange: () => choose(mode),
      }),
      element('span', null, symbol(SIGNS[mode]), text(`mode.${mode}`)),
    ),
  )
  return element('fieldset', { class: 'modes' }, element('legend', { class: 'unseen' }, text('mode')), ...options)
}
