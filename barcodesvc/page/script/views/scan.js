/**
 * The start: a scan shows its product, and in the booking modes changes its level.
 *
 * Rule: a booking goes into the queue first and is shown at once. What the list says of it follows the queue alone. The
 * mode stands in the address, so that a reload keeps it, and a scan from another view only looks up.
 */

import { ask, Refusal, Unreachable } from '../api.js'
import { booking } from '../bookings/booking.js'
import { bookings } from '../bookings/sending.js'
import { element } from '../dom.js'
import { number } from '../formats.js'
import { text } from '../language.js'
import { amountPad } from '../parts/amount_pad.js'
import { bookingList } from '../parts/booking_list.js'
import { cameraPanel } from '../parts/camera_panel.js'
import { productPanel } from '../parts/product_panel.js'
import { settings } from '../settings.js'
import { bad, good } from '../sounds.js'
import { symbol } from '../symbols.js'

/** @typedef {'look-up' | 'put-in' | 'take-out' | 'set'} Mode */
/** @typedef {import('../bookings/booking.js').Booking} Booking */

/** @type {Mode[]} */
const MODES = ['look-up', 'put-in', 'take-out', 'set']

/** Milliseconds after which a booking without an answer is said to wait. */
const HELD = 400

/**
 * @param {import('../router.js').Way} way
 * @returns {import('../router.js').View}
 */
export function open({ query }) {
  const ended = new AbortController()
  let mode = MODES.find((known) => known === query.get('mode')) ?? 'look-up'
  /** The last scan: answers to earlier ones that come late are not shown. */
  let last = 0
  /** The booking that the panel shows, or 0. */
  let shown = 0
  /** Bookings that nobody was told of yet, whether they went well. @type {Set<number>} */
  const fresh = new Set()

  const panel = productPanel(ended.signal)
  const pad = amountPad()
  const list = bookingList(ended.signal)
  const camera = cameraPanel(scan, ended.signal)
  const says = element('p', { class: 'unseen', role: 'status' })

  /** @param {string} code */
  function scan(code) {
    if (mode === 'look-up') return void lookUp(code)
    const typed = pad.typed()
    if (mode === 'set' && typed === null) return void count(code)
    const amount = pad.amount()
    pad.reset()
    void book(code, mode === 'set' ? { level: amount } : { delta: mode === 'put-in' ? amount : -amount })
  }

  /** @param {string} code */
  async function lookUp(code) {
    const mine = begin(code)
    try {
      const found = await find(code)
      good()
      if (mine === last) panel.show(found, code, text('scan.found'))
    } catch (error) {
      if (ended.signal.aborted) return
      bad()
      if (mine === last) failed(code, error, () => void lookUp(code))
    }
  }

  /**
   * Show the product and ask for its level, also where the service cannot be reached.
   *
   * @param {string} code
   */
  async function count(code) {
    const mine = begin(code)
    pad.reset()
    try {
      const found = await find(code)
      good()
      if (mine === last) panel.show(found, code, text('scan.count'))
    } catch (error) {
      if (ended.signal.aborted) return
      if (error instanceof Unreachable) good()
      else bad()
      if (mine !== last) return
      if (!(error instanceof Unreachable)) return failed(code, error, () => void count(code))
      panel.say('waiting', code, text('scan.count'))
    }
    if (mine === last && mode === 'set') pad.ask((level) => void book(code, { level }))
  }

  /** @param {string} code */
  async function find(code) {
    const found = await ask('POST', '/api/codes/decode', { body: { code_data: code }, signal: ended.signal })
    return { ...found.product, level: found.inventory?.current_level }
  }

  /** @param {string} code */
  function begin(code) {
    shown = 0
    panel.say('looking', code, text('scan.looking'))
    return ++last
  }

  /**
   * @param {string} code
   * @param {{delta?: number, level?: number}} change
   */
  async function book(code, change) {
    const mine = begin(code)
    const now = new Date()
    try {
      const { queue } = await bookings()
      const made = await queue.add(booking({ code, ...change, author: settings().author }, now))
      fresh.add(made.id)
      if (mine === last) shown = made.id
      setTimeout(() => held(made), queue.paused ? 0 : HELD)
    } catch {
      bad()
      if (mine === last) panel.say('bad', code, text('scan.no-storage'))
    }
  }

  /** @param {Booking} made one that is stored, and has no answer yet */
  function held({ id, code }) {
    if (!fresh.delete(id)) return
    good()
    if (shown === id) panel.say('waiting', code, text('scan.kept'))
  }

  /**
   * @param {string} code
   * @param {unknown} error
   * @param {() => void} again
   */
  function failed(code, error, again) {
    if (error instanceof Refusal) panel.refuse(code, error, again)
    else panel.say('bad', code, text(error instanceof Unreachable ? 'scan.unreachable' : 'failed'))
  }

  /** @param {Booking[]} changed of which all together sound once */
  function settled(changed) {
    const answered = changed.filter(({ id, state }) => state !== 'waiting' && fresh.delete(id))
    if (changed.some(({ state }) => state === 'refused')) bad()
    else if (answered.some(({ state }) => state === 'booked')) good()
    follow(changed)
  }

  /** @param {Booking[]} changed here, or in another tab, which sounds there */
  function follow(changed) {
    const mine = changed.find(({ id }) => id === shown)
    if (mine) showSettled(mine)
  }

  /** @param {Booking} made */
  function showSettled(made) {
    const { id, code, state, result, problem, undoKey, delta } = made
    const act = (/** @type {'undo' | 'retry'} */ what) => () => void bookings().then(({ queue }) => queue[what](id))
    if (state === 'refused' && problem) return panel.refuse(code, problem, act('retry'), made)
    if (state === 'undone') {
      panel.say('ready', result?.productCode ?? code, text('booking.undone'))
      return
    }
    if (state !== 'booked' || !result || undoKey) return
    const product = { id: result.productId, product_code: result.productCode, description: result.description }
    const message =
      delta === null
        ? text('scan.booked.set')
        : text(delta > 0 ? 'scan.booked.in' : 'scan.booked.out', { amount: number(Math.abs(delta)) })
    const undo = element('button', { type: 'button', onclick: act('undo') }, symbol('undo'), text('booking.undo'))
    panel.show({ ...product, level: result.newLevel }, code, message, undo)
  }

  void bookings().then(
    ({ queue }) => {
      const until = { signal: ended.signal }
      queue.addEventListener('change', (event) => settled(/** @type {CustomEvent} */ (event).detail), until)
      queue.addEventListener('elsewhere', (event) => follow(/** @type {CustomEvent} */ (event).detail), until)
    },
    () => panel.say('bad', '', text('scan.no-storage')),
  )

  /** @param {Mode} chosen */
  function choose(chosen) {
    mode = chosen
    says.textContent = text(`mode.${mode}.says`)
    if (mode === 'look-up') pad.hide()
    else if (mode === 'set') pad.show(text('amount.level'), '')
    else pad.show(text('amount.amount'), '1')
  }

  /** @param {Mode} chosen */
  function chosenAnew(chosen) {
    choose(chosen)
    history.replaceState(null, '', chosen === 'look-up' ? '#scan' : `#scan?mode=${chosen}`)
  }

  /** @param {KeyboardEvent} event */
  function erase(event) {
    if (event.key === 'Backspace' && isFree() && !isTypedInto(document.activeElement)) pad.back()
  }
  window.addEventListener('keydown', erase, { signal: ended.signal })
  choose(mode)

  const node = element(
    'div',
    { class: 'view scan' },
    element('h1', { class: 'unseen' }, text('view.scan')),
    element('div', { class: 'view product-side' }, modeChoice(mode, chosenAnew), says, panel.node),
    pad.node,
    element('div', { class: 'view entry' }, codeField(scan), camera.node),
    list.node,
  )
  list.node.classList.add('bookings-side')
  return {
    node,
    title: text('view.scan'),
    scan,
    type: (typed) => isFree() && pad.type(typed),
    close: () => ended.abort(),
  }
}

/** Whether no dialog stands before the view. */
function isFree() {
  return document.querySelector('dialog[open]') === null
}

/** @param {Element | null} focused */
function isTypedInto(focused) {
  return Boolean(focused?.matches('input:not([type=radio], [type=checkbox], [type=file]), select, textarea'))
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
