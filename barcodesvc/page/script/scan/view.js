/**
 * The start view: a scan shows its product, and in the booking modes changes its level.
 *
 * Rule: the empty view needs few bytes. What a scan leads to (`ScanDesk`), and the components that show it, are loaded when
 * they are first needed; scans made meanwhile wait, in their order. The mode is in the address, or else the last one of this
 * tab.
 */

import { bookings, opened } from '../bookings/sending.js'
import { cameraPanel } from '../camera/panel.js'
import { openDialog } from '../in_front.js'
import { element, fill, symbol } from '../dom.js'
import { text } from '../language.js'
import { bad } from '../sounds.js'
import { needed } from '../service.js'
import { firstMode, keepMode, MODES, SIGNS } from './modes.js'

/** @typedef {import('./modes.js').Mode} Mode */
/** @typedef {import('./desk.js').ScanDesk} ScanDesk */

/** @param {import('../router.js').Route} route @returns {Promise<import('../router.js').View>} */
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
    takeBack: (typed) => view.use((desk) => desk.takeBack(typed)),
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
    this.modeHint = element('p', { class: 'unseen', role: 'status' })
    this.entry = codeField(
      (code, typed) => (this.desk ? this.desk.scanned(code, typed) : this.scan(code)),
      (code) => this.use((desk) => desk.enter(code)),
    )
    const camera = cameraPanel(
      (code, type) => this.scan(code, type),
      this.ended.signal,
      (state, message) => this.use((desk) => desk.say(state, message)),
    )
    const part = (/** @type {string} */ name) => element('div', { class: `part ${name}` })
    this.parts = {
      panel: element('div', { class: 'part panel-part' }, emptyPanel(mode)),
      pad: part('pad-part'),
      movements: part('movements-part'),
      list: part('list-part'),
    }
    const { panel, pad, movements, list } = this.parts
    const modes = modeChoice(mode, (chosen) => this.choose(chosen))
    const side = element('div', { class: 'product-side' }, camera.node, this.entry.node, modes, panel, this.modeHint)
    const title = element('h1', { class: 'unseen' }, text('view.scan'))
    this.node = element('div', { class: 'view scan' }, title, side, pad, movements, list)
    const watches = () => this.node.classList.toggle('watches', camera.node.querySelector('video') !== null)
    new MutationObserver(watches).observe(camera.node, { childList: true, subtree: true })
    this.name()
  }

  /** Load at once what a booking mode needs; otherwise once bookings are listed, or a person is about to scan. */
  async begin() {
    const prepare = () => this.use(() => undefined)
    window.addEventListener('keydown', (event) => this.pressed(event), { signal: this.ended.signal })
    for (const type of ['click', 'focusin']) this.node.addEventListener(type, prepare, { once: true })
    if (this.mode !== 'look-up') {
      await bookings().catch(() => undefined)
      await this.load().catch(() => undefined)
    }
    void opened.then(prepare)
  }

  load() {
    const { entry, mode, parts, ended } = this
    this.loading ??= needed(import('./desk.js')).then(({ ScanDesk, drawDesk }) => {
      this.desk = new ScanDesk(mode, entry, ended.signal)
      drawDesk(this.desk, parts, ended.signal)
      return this.desk
    })
    return this.loading
  }

  /** @param {(desk: ScanDesk) => void} action */
  use(action) {
    if (this.ended.signal.aborted) return
    this.load().then(action, ({ message }) => {
      this.loading = null
      bad()
      fill(this.parts.panel, element('section', { class: 'card product' }, message))
    })
  }

  /** @param {string} code @param {string} [type] its symbology, if the camera has read it */
  scan(code, type) {
    this.use((desk) => desk.scan(code, type))
    return true
  }

  /** @param {Mode} chosen */
  choose(chosen) {
    this.use((desk) => {
      desk.choose(chosen)
      bookings().catch(() => desk.results.say('bad', '', text('scan.no-storage')))
    })
    this.mode = chosen
    this.name()
    history.replaceState(null, '', chosen === 'look-up' ? '#scan' : `#scan?mode=${chosen}`)
  }

  name() {
    const { mode, node } = this
    keepMode(mode)
    node.dataset['mode'] = mode
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
    if (this.desk) this.desk.pressed(event)
    else if (this.loading) this.use((desk) => desk.pressed(event))
  }

  close() {
    this.desk?.leave()
    this.ended.abort()
  }
}

/** The panel of the last scanned product, before there is one. @param {Mode} mode */
function emptyPanel(mode) {
  return element(
    'section',
    { class: 'card product', 'aria-label': text('scan.product'), 'data-state': 'ready' },
    element('span', { class: 'edge' }, symbol(SIGNS[mode])),
    element('div', { class: 'message' }, text('scan.ready')),
    element('p', { class: 'soft' }, text(`mode.${mode}.says`)),
  )
}

/** @param {Mode} chosen @param {(mode: Mode) => void} choose */
function modeChoice(chosen, choose) {
  const options = MODES.map((mode) =>
    element(
      'label',
      { 'data-mode': mode },
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
  return element(
    'fieldset',
    { class: 'segments modes' },
    element('legend', { class: 'unseen' }, text('mode')),
    ...options,
  )
}

/**
 * Return the field for a code that a person types, with the button that says what the mode does with it. An ellipsis on the
 * button means that the product is shown first.
 *
 * @param {(code: string, typed: string) => boolean} scan called with a scanned code, and the former text of the field
 * @param {(code: string) => void} enter called with a code that a person typed
 */
export function codeField(scan, enter) {
  let paused = false
  const button = element('button', { type: 'submit' })
  const field = element('input', {
    type: 'text',
    id: 'code',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    enterkeyhint: 'go',
    maxlength: 4096,
    placeholder: text('scan.type'),
    'aria-label': text('scan.type'),
    'data-takes-scans': true,
    onscan: (/** @type {Event & {typed: string}} */ { typed }) => {
      const code = taken()
      if (code && !scan(code, typed.trim())) field.value = typed
    },
  })

  function taken() {
    const code = field.value.trim()
    field.value = ''
    return code
  }

  const submitted = (/** @type {Event} */ event) => {
    event.preventDefault()
    const code = taken()
    if (code) enter(code)
  }
  const node = element('form', { class: 'entry', onsubmit: submitted }, field, button)
  return {
    node,
    /** @param {Mode} mode */
    name: (mode) => fill(button, symbol(SIGNS[mode]), text(`mode.${mode}`) + (mode === 'look-up' ? '' : ' …')),
    /** Remember whether the focus is here, before it goes to the amount. */
    pause: () => void (paused ||= node.contains(document.activeElement)),
    /** Take the focus back. */
    resume() {
      if (paused) field.focus()
      paused = false
    },
  }
}
