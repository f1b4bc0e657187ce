/**
 * What scans lead to in the start view: the product on its panel, bookings, and the amount that is typed.
 *
 * Rule: `ScanSession` decides what a code leads to. A booking goes into the queue first and is shown at once; the list shows
 * only the state of the queue. A scan from another view, which shows no mode, waits until a person confirms it.
 */

import { Refusal, Unreachable } from '../api.js'
import { bookings, opened } from '../bookings/sending.js'
import { moment, number } from '../formats.js'
import { text } from '../language.js'
import { latestOnly } from '../latest.js'
import { announce } from '../notices.js'
import { whyNotStored, whyUnreachable } from '../reasons.js'
import { recall, resolveOrRecall, resolveScan } from '../resolve_scan.js'
import { ScanSession } from './session.js'
import { settings } from '../settings.js'
import { bad, good, unchecked } from '../sounds.js'
import { keys as heardKeys } from '../scanner/listener.js'
import { sayTrouble } from '../scanner/trouble.js'
import { StepKeys } from './step_keys.js'
import { whileVisible } from '../while_visible.js'
import { AmountPad } from './amount_pad.js'
import { askBefore, authorButton, authorGiven } from './author_question.js'
import { BookingList, takeBack } from './booking_list.js'
import { lastMovements } from './last_movements.js'
import { dropPhoto } from '../camera/photo_reading.js'
import { outcomeOf, ProductPanel } from './panel.js'
import { ReasonChoice } from './reason_choice.js'

/** @typedef {import('./modes.js').Mode} Mode */
/** @typedef {import('./session.js').Steps} Steps */
/** @typedef {import('../bookings/booking.js').Booking} Booking */

/** Milliseconds after which a booking without a response is shown as waiting. */
const HELD = 400

/** The code of the product that was on the panel when the view was left, such as for its label; empty if there was none. */
let last = ''

export class ScanDesk {
  /**
   * @param {object} view
   * @param {HTMLElement} view.node of the whole view
   * @param {HTMLElement} view.panel of the last scanned product
   * @param {ReturnType<typeof import('./code_field.js').codeField>} view.entry
   * @param {Mode} view.mode
   * @param {AbortSignal} view.signal
   */
  constructor({ node, panel, entry, mode, signal }) {
    this.entry = entry
    this.signal = signal
    this.session = new ScanSession(mode)
    /** Late responses to earlier scans are not shown. */
    this.begun = latestOnly()
    /** Whether what `say` has shown is the last result. */
    this.isSaid = () => false
    /** Whether a photo was taken in this mode. */
    this.hasPhoto = false
    /** The code on the panel that the service could not be asked for, or empty. */
    this.unasked = ''
    /** The last booking that was shown and has been answered. */
    this.answered = 0
    this.keys = new StepKeys((sign) => this.take(this.session.step(sign)))
    /** The booking that the panel shows, or 0. */
    this.shown = 0
    this.pad = new AmountPad(this.session, {
      confirmed: () => this.confirm(),
      cancelled: () => this.cancel(),
      changed: () => this.update(),
      typed: (amount) => this.panel.tell(text('steps.amount', { amount })),
      discarded: () => sayTrouble('code'),
      unused: (amount) => (bad(), this.panel.setResult('bad', this.session.product, text('scan.unused', { amount }))),
    })
    const actions = {
      step: (/** @type {1 | -1} */ sign) => this.take(this.session.step(sign)),
      set: () => this.take(this.session.set()),
      openPad: () => this.pad.toggle(),
    }
    this.panel = new ProductPanel(panel, this.session, actions, signal)
    this.reasons = new ReasonChoice(this.session, signal)
    panel.after(this.reasons.node)
    const list = new BookingList(signal)
    panel.before(list.refusals)
    node.querySelector('.product-side')?.after(this.pad.node)
    node.append(list.node, lastMovements(signal))
    node.querySelector('.entry')?.append(authorButton(signal))
    this.pad.show()
    askBefore(mode)
    heardKeys.addEventListener('key', () => this.keys.wait(), { signal })
    whileVisible(() => this.askAgain(), signal)
    if (last) void this.showAgain(last)
    void opened.then(({ queue }) => {
      queue.addEventListener('change', (event) => this.settled(/** @type {CustomEvent} */ (event).detail), { signal })
      queue.addEventListener('elsewhere', (event) => this.follow(/** @type {CustomEvent} */ (event).detail), { signal })
      void queue.hasNameless().then((has) => void (has && authorGiven()))
    })
  }

  /**
   * Process a scan in the code field. Text that a person has typed there may be meant as its amount, so nothing is booked
   * with it.
   *
   * @param {string} code
   * @param {string} typed
   * @returns {boolean} whether the scan was accepted
   */
  scanned(code, typed) {
    if (!typed || this.session.mode === 'look-up') return this.scan(code)
    this.begun()
    bad()
    this.panel.setResult('bad', code, text('scan.typed', { typed }))
    return false
  }

  /**
   * @param {string} code
   * @param {string} [type] its symbology, if the camera has read it
   */
  scan(code, type) {
    this.keys.end()
    this.take(this.session.scan(code, type))
    return true
  }

  /** Process a code that a person typed, or that opened the view. @param {string} code */
  enter(code) {
    this.take(this.session.enter(code))
  }

  /**
   * Book a scan that is made while the key is asked for. A level cannot be typed meanwhile.
   *
   * @param {string} code
   */
  keep(code) {
    return ['put-in', 'take-out'].includes(this.session.mode) && this.scan(code)
  }

  /** @param {string} typed */
  type(typed) {
    return this.keys.type(typed, this.session.canStep) || this.pad.type(typed)
  }

  confirm() {
    this.take(this.session.confirm())
    this.entry.resume()
  }

  /** Forget the product that waits for its amount. */
  cancel() {
    this.session.cancel()
    this.begun()
    this.unasked = ''
    this.panel.setResult('ready', '', text('scan.ready'))
    this.pad.show()
    this.entry.resume()
  }

  /**
   * Show that a photo is being read, or why a code or an amount could not be read, until the next result. Only what was said
   * so is followed by being ready again. A camera that cannot read takes no product from the panel.
   *
   * @param {'looking' | 'bad' | 'blind' | 'ready'} state
   * @param {string} message
   */
  say(state, message) {
    const { waiting, waitingType } = this.session
    if (state === 'ready' && !this.isSaid()) return
    if (state === 'ready' && waiting) return void this.lookUp(waiting, waitingType)
    if (state === 'bad' || state === 'blind') bad()
    if (state === 'blind' && this.panel.product) return announce(message, 'bad')
    this.hasPhoto ||= state === 'looking'
    this.isSaid = this.begin('', state === 'blind' ? 'bad' : state, message)
    this.panel.tell(message)
  }

  /** Show the last product of the view again, unless a scan comes meanwhile. @param {string} code */
  async showAgain(code) {
    const isLast = this.begun()
    const show = (/** @type {import('../resolve_scan.js').FoundProduct | null} */ found) =>
      void (found && isLast() && this.panel.show('ready', found, code, text('scan.ready')))
    show(await resolveOrRecall(code, this.signal, undefined, show).catch(() => null))
  }

  /** Make the step that waits, and say that the amount of the waiting product is not booked: another mode or view is chosen. */
  leave() {
    this.keys.end()
    last = this.panel.product?.product_code ?? ''
    const { waiting, digits } = this.session
    if (!waiting || digits === '') return
    bad()
    announce(text('scan.left', { product: this.pad.product, amount: number(Number(digits)) }), 'wait')
  }

  /** @param {Mode} chosen */
  choose(chosen) {
    this.leave()
    if (this.session.waiting) this.cancel()
    this.session.choose(chosen)
    if (this.hasPhoto) dropPhoto((state, message) => this.say(state, message))
    this.hasPhoto = false
    this.pad.isOpen = false
    this.pad.show()
    askBefore(chosen)
    bookings().catch(() => this.panel.setResult('bad', '', text('scan.no-storage')))
  }

  /** Show the amount and the reason where else they are shown than on the pad. */
  update() {
    this.panel.update()
    this.reasons.update()
  }

  /** @param {Steps} steps */
  take({ book: changes, show, type }) {
    for (const change of changes) void this.book(change)
    this.pad.show()
    if (!show) return
    if (this.session.waiting) {
      this.entry.pause()
      this.pad.ask()
      askBefore(this.session.direction)
    }
    void this.lookUp(show, type)
  }

  /**
   * Show the product of a code. If it waits for its amount, the amount is asked for even if the service cannot be reached.
   *
   * @param {string} code
   * @param {string} [type]
   */
  async lookUp(code, type) {
    const isLast = this.begin(code)
    try {
      const found = await resolveOrRecall(code, this.signal, type, (known) => {
        if (!isLast()) return
        if (known) this.show(code, known)
        else this.panel.age()
      })
      good()
      if (isLast()) this.show(code, found)
    } catch (error) {
      if (this.signal.aborted) return
      const asks = this.session.waiting === code && error instanceof Unreachable
      if (error instanceof Unreachable) unchecked()
      else bad()
      if (!isLast()) return
      this.unasked = error instanceof Unreachable ? code : ''
      if (asks) this.panel.setResult('waiting', code, `${text('scan.unchecked')} ${text(this.question)}`)
      else this.failed(code, error)
    }
  }

  /**
   * @param {string} code
   * @param {import('../resolve_scan.js').FoundProduct} found
   */
  show(code, found) {
    this.unasked = found.remembered ? code : ''
    this.pad.name(found.description)
    if (this.session.waiting === code) this.panel.show('waiting', found, code, text(this.question))
    else if (found.remembered)
      this.panel.show('waiting', found, code, text('scan.remembered', { time: moment(found.remembered) }))
    else this.panel.show('good', found, code, text('scan.found'))
  }

  /** Show the product on the panel as the service knows it, once that can be reached again. */
  async askAgain() {
    const code = this.unasked
    if (!code) return
    try {
      const found = await resolveScan(code, this.signal)
      if (code !== this.unasked) return
      this.begun()
      this.show(code, found)
    } catch (error) {
      if (!(error instanceof Refusal) || code !== this.unasked) return
      this.begun()
      this.unasked = ''
      this.failed(code, error)
    }
  }

  /** The key of the question about a waiting product. */
  get question() {
    return this.session.direction === 'set' ? 'scan.count' : 'scan.check'
  }

  /**
   * @param {string} code
   * @param {import('./panel.js').State} [state]
   * @param {string} [message]
   * @returns {() => boolean} whether no later scan was made
   */
  begin(code, state = 'looking', message = text('scan.looking')) {
    this.shown = 0
    this.unasked = ''
    this.panel.setResult(state, code, message)
    return this.begun()
  }

  /** @param {import('./session.js').Change} change */
  async book(change) {
    const { code } = change
    const isLast = this.begin(code)
    const now = new Date()
    try {
      const { queue, booking } = await bookings()
      const made = await queue.add(booking({ ...change, author: settings().author }, now))
      this.session.pending.add(made.id)
      if (isLast()) this.shown = made.id
      if (!made.author) void authorGiven()
      setTimeout(() => void this.held(made), queue.paused ? 0 : HELD)
    } catch (error) {
      bad()
      if (isLast()) this.panel.setResult('bad', code, whyNotStored(error))
    }
  }

  /** @param {Booking} made one that is stored, without a response yet */
  async held({ id, code }) {
    if (!this.session.pending.delete(id)) return
    const known = await recall(code)
    if (this.answered === id) return
    if (known) good()
    else unchecked()
    if (this.shown !== id) return
    if (known) this.panel.show('waiting', known, code, text('scan.kept'), () => takeBack(id))
    else this.panel.setResult('waiting', code, text('scan.kept.unchecked'))
  }

  /**
   * Show why a product is not found. One that is created for its code, perhaps with another code, is shown; a waiting
   * amount belongs to it.
   *
   * @param {string} code
   * @param {unknown} error
   */
  failed(code, error) {
    const created = (/** @type {{product_code: string}} */ { product_code }) => {
      if (this.session.waiting === code) this.session.wait(product_code)
      void this.lookUp(product_code)
    }
    if (error instanceof Refusal) this.panel.refuse(code, error, created)
    else if (error instanceof Unreachable)
      this.panel.setResult('waiting', code, whyUnreachable(error, text('scan.unchecked')))
    else this.panel.setResult('bad', code, text('failed'))
  }

  /** @param {Booking[]} changed which together make one sound */
  settled(changed) {
    const outcome = this.session.outcome(changed)
    if (outcome === 'bad') bad()
    else if (outcome === 'good') good()
    this.follow(changed)
    const others = changed.filter(({ id, state }) => state === 'refused' && id !== this.shown)
    if (others.length) this.panel.tell(text('bookings.refused', { count: others.length }))
  }

  /** @param {Booking[]} changed here, or in another tab, which makes its own sound */
  follow(changed) {
    const mine = changed.find(({ id }) => id === this.shown)
    if (mine && mine.state !== 'waiting') this.answered = mine.id
    if (mine) this.showSettled(mine)
    else if (changed.some(({ code, state }) => code === this.session.waiting && state === 'booked'))
      void this.showLevel()
  }

  /** Show the waiting product again, with the level that has just been set. */
  async showLevel() {
    const { waiting: code, waitingType } = this.session
    const found = await resolveScan(code, this.signal, waitingType).catch(() => null)
    if (found && code === this.session.waiting) this.panel.show('waiting', found, code, text(this.question))
  }

  /** @param {Booking} made */
  showSettled(made) {
    const { id, code, state, result, problem, undoKey } = made
    if (state === 'refused' && problem) return this.panel.refuse(code, problem)
    if (state === 'undone') return void this.showUndone(made)
    if (state !== 'booked' || !result || undoKey) return
    const product = { id: result.productId, product_code: result.productCode, description: result.description }
    this.panel.show('good', { ...product, level: result.newLevel }, code, outcomeOf(made), () => takeBack(id))
  }

  /** @param {Booking} made which was taken back */
  async showUndone({ id, code, result }) {
    const known = result?.productCode ?? code
    this.panel.setResult('ready', known, text('scan.booked.undone'))
    this.panel.age()
    const found = result && (await resolveScan(known, this.signal).catch(() => null))
    if (found && this.shown === id) this.panel.show('ready', found, code, text('scan.booked.undone'))
  }
}
