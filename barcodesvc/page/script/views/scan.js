/**
 * The start: a scan shows its product, and in the booking modes changes its level.
 *
 * Rule: a booking goes into the queue first and is shown at once. What the list says of it follows the queue alone.
 */

import { Unreachable, ask, Refusal } from '../api.js'
import { booking } from '../bookings/booking.js'
import { bookings } from '../bookings/sending.js'
import { element } from '../dom.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { amountPad } from '../parts/amount_pad.js'
import { bookingList } from '../parts/booking_list.js'
import { cameraPanel } from '../parts/camera_panel.js'
import { productPanel } from '../parts/product_panel.js'
import { settings } from '../settings.js'
import { bad, good } from '../sounds.js'
import { symbol } from '../symbols.js'

/** @typedef {'look-up' | 'put-in' | 'take-out' | 'set'} Mode */

/** @type {Mode[]} */
const MODES = ['look-up', 'put-in', 'take-out', 'set']

/** @returns {import('../router.js').View} */
export function open() {
  const ended = new AbortController()
  /** @type {Mode} */
  let mode = 'look-up'
  /** The last scan: answers to earlier ones that come late are not shown. */
  let last = 0

  const panel = productPanel(ended.signal)
  const pad = amountPad()
  const list = bookingList(ended.signal)
  const camera = cameraPanel(scan, ended.signal)
  const state = element('p', { class: 'unseen', role: 'status' })

  /** @param {string} code */
  function scan(code) {
    if (mode === 'look-up') return void lookUp(code)
    if (mode === 'set' && pad.typed() === null) return void count(code)
    void book(
      code,
      mode === 'set' ? { level: pad.amount() } : { delta: mode === 'put-in' ? pad.amount() : -pad.amount() },
    )
    pad.reset()
  }

  /** @param {string} code */
  async function lookUp(code) {
    const mine = ++last
    panel.wait(code)
    try {
      const found = await ask('POST', '/api/codes/decode', { body: { code_data: code }, signal: ended.signal })
      good()
      if (mine === last) panel.show({ ...found.product, level: found.inventory?.current_level }, code)
      return found
    } catch (error) {
      if (ended.signal.aborted) return null
      bad()
      if (mine === last) failed(code, error)
      return null
    }
  }

  /** @param {string} code */
  async function count(code) {
    const found = await lookUp(code)
    if (found) panel.askForLevel(found.inventory.current_level, (level) => void book(code, { level }))
  }

  /**
   * @param {string} code
   * @param {{delta?: number, level?: number}} change
   */
  async function book(code, change) {
    last += 1
    panel.wait(code)
    const { queue } = await bookings()
    await queue.add(booking({ code, ...change, author: settings().author }, new Date()))
  }

  /**
   * @param {string} code
   * @param {unknown} error
   */
  function failed(code, error) {
    if (error instanceof Refusal) panel.refuse(code, error, (created) => scan(created))
    else panel.say(code, text(error instanceof Unreachable ? 'scan.unreachable' : 'failed'))
  }

  /** @param {import('../bookings/booking.js').Booking} changed */
  function settled(changed) {
    if (changed.state === 'refused') bad()
    if (changed.state === 'booked' && changed.result && !changed.undoKey) {
      good()
      const { productId, productCode, description, newLevel } = changed.result
      panel.show({ id: productId, product_code: productCode, description, level: newLevel }, changed.code)
    }
    if (changed.state === 'refused' && changed.problem) {
      panel.refuse(changed.code, changed.problem, () => void bookings().then(({ queue }) => queue.retry(changed.id)))
    }
  }

  void bookings().then(
    ({ queue }) =>
      queue.addEventListener('change', (event) => settled(/** @type {CustomEvent} */ (event).detail), {
        signal: ended.signal,
      }),
    () => announce(text('scan.no-storage'), 'bad'),
  )

  const modes = modeChoice(mode, (chosen) => {
    mode = chosen
    state.textContent = text(`mode.${mode}.says`)
    if (mode === 'look-up') pad.hide()
    else if (mode === 'set') pad.show(text('amount.level'), '')
    else pad.show(text('amount.amount'), '1')
  })
  pad.hide()

  const node = element(
    'div',
    { class: 'view two scan' },
    element('h1', { class: 'unseen' }, text('view.scan')),
    element('div', { class: 'view' }, modes, state, panel.node, codeField(scan), camera.node),
    element('div', { class: 'view' }, pad.node, list.node),
  )
  return { node, title: text('view.scan'), scan, close: () => ended.abort() }
}

/**
 * @param {Mode} chosen
 * @param {(mode: Mode) => void} choose
 */
function modeChoice(chosen, choose) {
  const options = MODES.map((mode) =>
    element(
      'label',
      { class: `mode ${mode}` },
      element('input', {
        type: 'radio',
        name: 'mode',
        value: mode,
        checked: mode === chosen,
        onchange: () => choose(mode),
      }),
      element('span', null, text(`mode.${mode}`)),
    ),
  )
  return element('fieldset', { class: 'modes' }, element('legend', { class: 'unseen' }, text('mode')), ...options)
}

/** @param {(code: string) => void} scan */
function codeField(scan) {
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
    onscan: () => submit(),
  })
  const submit = () => {
    const code = field.value.trim()
    if (code) scan(code)
    field.value = ''
  }
  return element(
    'form',
    {
      class: 'row',
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault()
        submit()
      },
    },
    element('div', { class: 'grow' }, field),
    element('button', { type: 'submit' }, symbol('search'), text('scan.go')),
  )
}
