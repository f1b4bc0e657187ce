/**
 * The start view: a scan shows its product, and in the booking modes changes its level.
 *
 * Rule: `ScanSession` decides what a code leads to. A booking goes into the queue first and is shown at once; the list shows
 * only the state of the queue. The mode is in the address, or else the last one of this tab. A scan from another view, which
 * shows no mode, waits until a person confirms it.
 */

import { Refusal, Unreachable } from '../api.js'
import { bookings, opened } from '../bookings/sending.js'
import { openDialog } from '../dialogs.js'
import { element } from '../dom.js'
import { moment, number } from '../formats.js'
import { text } from '../language.js'
import { amountPad } from '../parts/amount_pad.js'
import { bookingList } from '../parts/booking_list.js'
import { cameraPanel } from '../parts/camera_panel.js'
import { codeField } from '../parts/code_field.js'
import { productPanel } from '../parts/product_panel.js'
import { whyNotStored, whyUnreachable } from '../reasons.js'
import { recall, resolveOrRecall, resolveScan } from '../resolve_scan.js'
import { MODES, ScanSession } from '../scan_session.js'
import { settings } from '../settings.js'
import { bad, good, unchecked } from '../sounds.js'
import { announce } from '../notices.js'
import { symbol } from '../symbols.js'

/** @typedef {import('../scan_session.js').Mode} Mode */
/** @typedef {import('../scan_session.js').Steps} Steps */
/** @typedef {import('../bookings/booking.js').Booking} Booking */

/** Where the tab keeps the mode that was chosen last. */
const KEPT_AS = 'barcodesvc.mode'

/** Milliseconds after which a booking without a response is shown as waiting. */
const HELD = 400

/**
 * @param {import('../router.js').Way} way
 * @returns {Promise<import('../router.js').View>}
 */
export async function open({ query }) {
  const ended = new AbortController()
  const session = new ScanSession(query.get('mode') ?? keptMode())
  keepMode(session.mode)
  if (session.mode !== 'look-up') await bookings().catch(() => undefined)
  /** The last scan: late responses to earlier ones are not shown. */
  let last = 0
  /** The booking that the panel shows, or 0. */
  let shown = 0
  /** Bookings whose result has not been signalled yet. @type {Set<number>} */
  const fresh = new Set()

  const panel = productPanel(ended.signal)
  const pad = amountPad(session, confirm, cancel, () => fail(text('scan.slow')))
  const list = bookingList(ended.signal)
  const camera = cameraPanel(scan, ended.signal, fail)
  const entry = codeField(scanned, (code) => take(session.enter(code)))
  const says = element('p', { class: 'unseen', role: 'status' })

  /**
   * Process a scan in the code field. Text that a person has typed there may be meant as its amount, so nothing is booked
   * with it.
   *
   * @param {string} code
   * @param {string} typed
   * @returns {boolean} whether the scan was accepted
   */
  function scanned(code, typed) {
    if (!typed || session.mode === 'look-up') return scan(code)
    last += 1
    bad()
    panel.say('bad', code, text('scan.typed', { typed }))
    return false
  }

  /** @param {string} code */
  function scan(code) {
    take(session.scan(code))
    return true
  }

  /**
   * Book a scan that is made while the key is asked for. A level cannot be typed meanwhile.
   *
   * @param {string} code
   */
  function keep(code) {
    return ['put-in', 'take-out'].includes(session.mode) && scan(code)
  }

  function confirm() {
    take(session.confirm())
    entry.resume()
  }

  /** Forget the product that waits for its amount. */
  function cancel() {
    session.cancel()
    last += 1
    panel.say('ready', '', text('scan.ready'))
    pad.show()
    entry.resume()
  }

  /** Show why a code or an amount could not be read, until the next result. @param {string} message */
  function fail(message) {
    last += 1
    shown = 0
    bad()
    panel.say('bad', '', message)
  }

  /** Say that the amount of the waiting product is not booked, because another mode or view is chosen. */
  function leave() {
    const { waiting, digits } = session
    if (!waiting || digits === '') return
    bad()
    announce(text('scan.left', { product: pad.product(), amount: number(Number(digits)) }), 'bad')
  }

  /** @param {Steps} steps */
  function take({ book: changes, show }) {
    for (const change of changes) void book(change)
    pad.show()
    if (!show) return
    if (session.waiting) {
      entry.pause()
      pad.ask()
    }
    void lookUp(show)
  }

  /**
   * Show the product of a code. If it waits for its amount, the amount is asked for even if the service cannot be reached.
   *
   * @param {string} code
   */
  async function lookUp(code) {
    const mine = begin(code)
    const waits = session.waiting === code
    try {
      const found = await resolveOrRecall(code, ended.signal)
      good()
      if (mine !== last) return
      pad.name(found.description)
      if (waits) panel.show('waiting', found, code, text(question()))
      else if (found.remembered)
        panel.show('waiting', found, code, text('scan.remembered', { time: moment(found.remembered) }))
      else panel.show('good', found, code, text('scan.found'))
    } catch (error) {
      if (ended.signal.aborted) return
      const asks = waits && error instanceof Unreachable
      if (error instanceof Unreachable) unchecked()
      else bad()
      if (mine !== last) return
      if (asks) panel.say('waiting', code, `${text('scan.unchecked')} ${text(question())}`)
      else failed(code, error, (product) => created(code, product))
    }
  }

  /**
   * Show a product that was created for a code, perhaps with another code; a waiting amount belongs to it.
   *
   * @param {string} code
   * @param {{product_code: string}} product
   */
  function created(code, { product_code }) {
    if (session.waiting === code) session.wait(product_code)
    void lookUp(product_code)
  }

  /** Return the key of the question about a waiting product. */
  function question() {
    return session.mode === 'set' ? 'scan.count' : 'scan.check'
  }

  /** @param {string} code */
  function begin(code) {
    shown = 0
    panel.say('looking', code, text('scan.looking'))
    return ++last
  }

  /** @param {import('../scan_session.js').Change} change */
  async function book(change) {
    const { code } = change
    const mine = begin(code)
    const now = new Date()
    try {
      const { queue, booking } = await bookings()
      const made = await queue.add(booking({ ...change, author: settings().author }, now))
      fresh.add(made.id)
      if (mine === last) shown = made.id
      setTimeout(() => void held(made), queue.paused ? 0 : HELD)
    } catch (error) {
      bad()
      if (mine === last) panel.say('bad', code, whyNotStored(error))
    }
  }

  /** @param {Booking} made one that is stored, without a response yet */
  async function held({ id, code }) {
    if (!fresh.delete(id)) return
    const known = await recall(code)
    if (known) good()
    else unchecked()
    if (shown !== id) return
    if (known) panel.show('waiting', known, code, text('scan.kept'))
    else panel.say('waiting', code, text('scan.kept.unchecked'))
  }

  /**
   * @param {string} code
   * @param {unknown} error
   * @param {(product: any) => void} done
   */
  function failed(code, error, done) {
    if (error instanceof Refusal) panel.refuse(code, error, done)
    else if (error instanceof Unreachable) panel.say('waiting', code, whyUnreachable(error, text('scan.unchecked')))
    else panel.say('bad', code, text('failed'))
  }

  /** @param {Booking[]} changed which together make one sound */
  function settled(changed) {
    const answered = changed.filter(({ id, state }) => state !== 'waiting' && fresh.delete(id))
    if (changed.some(({ state }) => state === 'refused')) bad()
    else if (answered.some(({ state }) => state === 'booked')) good()
    follow(changed)
  }

  /** @param {Booking[]} changed here, or in another tab, which makes its own sound */
  function follow(changed) {
    const mine = changed.find(({ id }) => id === shown)
    if (mine) showSettled(mine)
    else if (changed.some(({ code, state }) => code === session.waiting && state === 'booked')) void showLevel()
  }

  /** Show the waiting product again, with the level that has just been set. */
  async function showLevel() {
    const code = session.waiting
    const found = await resolveScan(code, ended.signal).catch(() => null)
    if (found && code === session.waiting) panel.show('waiting', found, code, text(question()))
  }

  /** @param {Booking} made */
  function showSettled(made) {
    const { id, code, state, result, problem, undoKey, delta } = made
    const takeBack = () => void bookings().then(({ queue }) => queue.undo(id))
    if (state === 'refused' && problem) return panel.refuse(code, problem)
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
    const undo = element('button', { type: 'button', onclick: takeBack }, symbol('undo'), text('booking.undo'))
    panel.show('good', { ...product, level: result.newLevel }, code, message, undo)
  }

  void opened.then(({ queue }) => {
    const until = { signal: ended.signal }
    queue.addEventListener('change', (event) => settled(/** @type {CustomEvent} */ (event).detail), until)
    queue.addEventListener('elsewhere', (event) => follow(/** @type {CustomEvent} */ (event).detail), until)
  })

  /** @param {Mode} chosen */
  function choose(chosen) {
    leave()
    if (session.waiting) cancel()
    session.choose(chosen)
    says.textContent = text(`mode.${chosen}.says`)
    entry.name(chosen)
    pad.show()
  }

  /** @param {Mode} chosen */
  function chosenAnew(chosen) {
    choose(chosen)
    bookings().catch(() => panel.say('bad', '', text('scan.no-storage')))
    history.replaceState(null, '', chosen === 'look-up' ? '#scan' : `#scan?mode=${chosen}`)
    keepMode(chosen)
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    const focused = document.activeElement
    if (openDialog() || isTypedInto(focused)) return
    if (event.key === 'Backspace') pad.erase()
    if (session.waiting && event.key === 'Escape') cancel()
    if (event.key !== 'Enter' || !(focused === document.body || focused?.closest('.keys'))) return
    // Enter ends an amount: it does not press the digit that was tapped last
    event.preventDefault()
    pad.enter()
  }
  window.addEventListener('keydown', pressed, { signal: ended.signal })
  choose(session.mode)

  const node = element(
    'div',
    { class: 'view scan' },
    element('h1', { class: 'unseen' }, text('view.scan')),
    element(
      'div',
      { class: 'view product-side' },
      modeChoice(session.mode, chosenAnew),
      says,
      list.refusals,
      panel.node,
    ),
    pad.node,
    element('div', { class: 'view entry' }, entry.node, camera.node),
    list.node,
  )
  list.node.classList.add('bookings-side')
  return {
    node,
    title: text('view.scan'),
    scan,
    keep,
    arrive: (code) => take(session.enter(code)),
    type: (typed) => !openDialog() && pad.type(typed),
    close: () => {
      leave()
      ended.abort()
    },
  }
}

/** Return the mode that was chosen last in this tab, or null. */
function keptMode() {
  try {
    return sessionStorage.getItem(KEPT_AS)
  } catch {
    return null // a browser that stores nothing
  }
}

/** @param {Mode} mode */
function keepMode(mode) {
  try {
    sessionStorage.setItem(KEPT_AS, mode)
  } catch {
    // the address has it
  }
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
