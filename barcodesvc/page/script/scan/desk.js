/**
 * What a person does at the start view, as signals: what is typed, what it is for, and which product waits for it.
 *
 * Rule: `ScanSession` decides what a code leads to, and `ScanResults` shows what became of it. A scan from another view,
 * which shows no mode, waits until a person confirms it.
 */

import { dropPhoto } from '../camera/photo_reading.js'
import { announce, openDialog } from '../in_front.js'
import { number } from '../formats.js'
import { text } from '../language.js'
import { sayTrouble } from '../scanner/trouble.js'
import { bad } from '../sounds.js'
import { computed, draw, effect, html, signal } from '../ui.js'
import { BookingList } from './list.js'
import { Pad } from './pad.js'
import { ProductMovements, ProductPanel } from './panel.js'
import { ScanResults } from './results.js'
import { ScanSession } from './session.js'

/** @typedef {import('./modes.js').Mode} Mode */

/** The code of the product that was shown when the view was left, such as for its label; empty if there was none. */
const last = signal('')

export class ScanDesk {
  #session
  #entry
  /** How often the session has changed: it is followed by this. */
  #turn = signal(0)
  /** Whether what `say` has shown is the last result. */
  #isSaid = () => false
  /** Whether a photo was taken in this mode. */
  #hasPhoto = false
  /** Whether a person has opened the keys where scans need no amount. */
  isOpen = signal(false)
  /** What is wrong with the amount. */
  problem = signal('')

  /**
   * @param {Mode} mode
   * @param {ReturnType<typeof import('./view.js').codeField>} entry
   * @param {AbortSignal} ended
   */
  constructor(mode, entry, ended) {
    const session = (this.#session = new ScanSession(mode))
    this.#entry = entry
    this.results = new ScanResults(session, ended)
    /** What is typed, what it is for, and which product waits for it. */
    this.entered = computed(() => {
      void [this.#turn.value, this.results.shown.value]
      const { direction, waiting, typed, digits, product, reason, takesAmount } = session
      return { mode: session.mode, direction, waiting, typed, digits, product, reason, takesAmount }
    })
    if (last.value) void this.results.showAgain(last.value)
  }

  /**
   * Process a scan in the code field. Text that a person has typed there may be meant as its amount, so nothing is booked
   * with it. Return whether the scan was accepted.
   *
   * @param {string} code
   * @param {string} typed
   */
  scanned(code, typed) {
    if (!typed || this.#session.mode === 'look-up') return this.scan(code)
    bad()
    this.results.say('bad', code, text('scan.typed', { typed }))
    return false
  }

  /** @param {string} code @param {string} [type] its symbology, if the camera has read it */
  scan(code, type) {
    this.#take(this.#session.scan(code, type))
    return true
  }

  /** Process a code that a person typed, or that opened the view. @param {string} code */
  enter(code) {
    this.#take(this.#session.enter(code))
  }

  /** Book a scan that is made while the key is asked for. A level cannot be typed meanwhile. @param {string} code */
  keep(code) {
    return ['put-in', 'take-out'].includes(this.#session.mode) && this.scan(code)
  }

  /** Add what was typed to the amount; return whether it was used. @param {string} typed */
  type(typed) {
    const kind = this.#session.type(typed)
    this.#refresh()
    if (kind === 'used') this.#tellAmount()
    if (kind === 'code') sayTrouble('code')
    return kind !== 'other'
  }

  /** Take back the last characters that were typed: they were part of a code. @param {string} typed */
  takeBack(typed) {
    this.#session.takeBack(typed.replace(/\D/g, '').length)
    this.#refresh()
  }

  /** Delete the last digit. */
  erase() {
    this.#session.erase()
    this.#refresh()
    this.#tellAmount()
  }

  clear() {
    this.#session.clear()
    this.#refresh()
    this.#tellAmount()
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const focused = document.activeElement
    if (openDialog() || isTypedInto(focused)) return
    if (event.key === 'Backspace') this.erase()
    if (this.#session.waiting && event.key === 'Escape') this.cancel()
    if (event.key !== 'Enter' || !(focused === document.body || focused?.closest('.keys'))) return
    // Enter ends an amount: it does not press the digit that was tapped last
    event.preventDefault()
    this.#endAmount()
  }

  /** Book the product that waits, if the digits before an Enter are an amount. */
  #endAmount() {
    const { typed, product } = this.#session
    const ended = this.#session.end()
    if (ended === 'confirm') return this.confirm()
    this.#refresh()
    if (ended === 'code') sayTrouble('code')
    if (ended !== 'unused') return
    bad()
    this.results.say('bad', product, text('scan.unused', { amount: typed }))
  }

  /** Book the product that waits. */
  confirm() {
    if (this.#session.lacksLevel) return void (this.problem.value = text('whole-number'))
    this.#take(this.#session.confirm())
    this.#entry.resume()
  }

  /** Forget the product that waits for its amount. */
  cancel() {
    this.#session.cancel()
    this.results.clear()
    this.#refresh()
    this.#entry.resume()
  }

  /** Put in or take out the typed amount of the product that is shown. @param {1 | -1} sign */
  step(sign) {
    this.#take(this.#session.step(sign))
  }

  /** Set the level of the product that is shown. */
  set() {
    this.#take(this.#session.set())
  }

  /** @param {string} reason */
  chooseReason(reason) {
    this.#session.reason = reason
    this.#refresh()
  }

  /**
   * Show that a photo is being read, or why a code or an amount could not be read, until the next result. Only what was said
   * so is followed by being ready again. A camera that cannot read takes no product from the panel.
   *
   * @param {'looking' | 'bad' | 'blind' | 'ready'} state
   * @param {string} message
   */
  say(state, message) {
    const { waiting, waitingType } = this.#session
    const { shown, spoken } = this.results
    if (state === 'ready' && !this.#isSaid()) return
    if (state === 'ready' && waiting) return void this.results.lookUp(waiting, waitingType)
    if (state === 'bad' || state === 'blind') bad()
    if (state === 'blind' && shown.value.product) return announce(message, 'bad')
    this.#hasPhoto ||= state === 'looking'
    this.#isSaid = this.results.say(state === 'blind' ? 'bad' : state, '', message)
    spoken.value = message
  }

  /** @param {Mode} chosen */
  choose(chosen) {
    this.leave()
    if (this.#session.waiting) this.cancel()
    this.#session.choose(chosen)
    if (this.#hasPhoto) dropPhoto((state, message) => this.say(state, message))
    this.#hasPhoto = false
    this.isOpen.value = false
    this.#refresh()
  }

  /** Say that the amount of the waiting product is not booked: another mode or view is chosen. */
  leave() {
    last.value = this.results.shown.value.product?.product_code ?? ''
    const { waiting, digits } = this.#session
    if (!waiting || digits === '') return
    bad()
    const product = this.results.waitingName.value
    announce(text('scan.left', { product, amount: number(Number(digits)) }), 'wait')
  }

  /** @param {import('./session.js').Steps} steps */
  #take({ book: changes, show, type }) {
    for (const change of changes) void this.results.book(change)
    if (show && this.#session.waiting) {
      this.#entry.pause()
      this.results.waitingName.value = this.#session.waiting
    }
    if (show) void this.results.lookUp(show, type)
    this.#refresh()
  }

  #tellAmount() {
    const { direction, digits } = this.#session
    this.results.spoken.value = text('steps.amount', { amount: digits || (direction === 'set' ? '–' : '1') })
  }

  /** Show what is typed, and what it is for. */
  #refresh() {
    this.problem.value = ''
    this.#turn.value += 1
  }
}

/**
 * Draw what a desk shows into the parts of the view, until the view ends.
 *
 * @param {ScanDesk} desk
 * @param {{panel: Element, pad: Element, movements: Element, list: Element}} parts
 * @param {AbortSignal} ended
 */
export function drawDesk(desk, { panel, pad, movements, list }, ended) {
  panel.replaceChildren()
  const drawn = [
    draw(html`<${ProductPanel} desk=${desk} />`, panel),
    draw(html`<${Pad} desk=${desk} />`, pad),
    draw(html`<${ProductMovements} shown=${desk.results.shown} />`, movements),
    draw(html`<${BookingList} />`, list),
  ]
  // while a number is typed, the picture of the camera makes room for the keys
  const end = effect(() => {
    pad.parentElement?.classList.toggle('types', desk.isOpen.value || desk.entered.value.waiting !== '')
  })
  ended.addEventListener('abort', () => (end(), drawn.forEach((each) => each.end())))
}

/** Whether keys go into a field. @param {Element | null} focused */
function isTypedInto(focused) {
  return Boolean(focused?.matches('input:not([type=radio], [type=checkbox], [type=file]), select, textarea'))
}
