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
import { firstMode, keepMode, MODES, SIGNS } from '../modes.js'
import { cameraPanel } from '../parts/camera_panel.js'
import { codeField } from '../parts/code_field.js'
import { bad } from '../sounds.js'
import { symbol } from '../symbols.js'
import { needed } from '../version.js'

/** @typedef {import('../modes.js').Mode} Mode */
/** @typedef {import('../parts/scan_desk.js').ScanDesk} ScanDesk */

/**
 * @param {import('../router.js').Way} way
 * @returns {Promise<import('../router.js').View>}
 */
export async function open({ query }) {
  const ended = new AbortController()
  let mode = firstMode(query.get('mode'))
  /** @type {ScanDesk | null} */
  let desk = null
  /** @type {Promise<ScanDesk> | null} */
  let loading = null

  const panel = emptyPanel()
  const says = element('p', { class: 'unseen', role: 'status' })
  const entry = codeField(
    (code, typed) => (desk ? desk.scanned(code, typed) : scan(code)),
    (code) => use((at) => at.enter(code)),
  )
  const camera = cameraPanel(scan, ended.signal, (message) => use((at) => at.fail(message)))
  const node = element(
    'div',
    { class: 'view scan' },
    element('h1', { class: 'unseen' }, text('view.scan')),
    element('div', { class: 'product-side' }, camera.node, modeChoice(mode, choose), says, panel),
    element('div', { class: 'entry' }, entry.node),
  )

  function load() {
    loading ??= needed(import('../parts/scan_desk.js')).then(({ ScanDesk }) => {
      desk = new ScanDesk({ node, panel, entry, mode, signal: ended.signal })
      return desk
    })
    return loading
  }

  /** @param {(desk: ScanDesk) => void} action */
  function use(action) {
    if (ended.signal.aborted) return
    load().then(action, ({ message }) => {
      loading = null
      bad()
      panel.textContent = message
    })
  }

  /** @param {string} code */
  function scan(code) {
    use((at) => at.scan(code))
    return true
  }

  /** @param {Mode} chosen */
  function choose(chosen) {
    mode = chosen
    name()
    history.replaceState(null, '', chosen === 'look-up' ? '#scan' : `#scan?mode=${chosen}`)
    use((at) => at.choose(chosen))
  }

  function name() {
    keepMode(mode)
    node.dataset['mode'] = mode
    panel.querySelector('.edge')?.replaceChildren(symbol(SIGNS[mode]))
    says.textContent = text(`mode.${mode}.says`)
    entry.name(mode)
  }

  /** Keys may come while the desk loads. @param {KeyboardEvent} event */
  function pressed(event) {
    if (desk) desk.pressed(event)
    else if (loading) use((at) => at.pressed(event))
  }

  window.addEventListener('keydown', pressed, { signal: ended.signal })
  name()
  if (mode !== 'look-up') {
    await bookings().catch(() => undefined)
    await load().catch(() => undefined)
  }
  const prepare = () => use(() => undefined)
  void opened.then(prepare)
  // who turns the camera on, or goes to the field, is about to scan
  for (const type of ['click', 'focusin']) node.addEventListener(type, prepare, { once: true })
  return {
    node,
    title: text('view.scan'),
    scan,
    keep: (code) => desk?.keep(code) ?? false,
    arrive: (code) => use((at) => at.enter(code)),
    type: (typed) => {
      if (openDialog()) return false
      if (!desk) use((at) => void at.type(typed))
      return desk?.type(typed) ?? false
    },
    close: () => {
      desk?.leave()
      ended.abort()
    },
  }
}

/** The panel of the last scanned product, before there is one. */
function emptyPanel() {
  return element(
    'section',
    { class: 'card product', 'aria-label': text('scan.product'), 'data-state': 'ready' },
    element('span', { class: 'edge' }),
    element('p', { class: 'says' }, text('scan.ready')),
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
