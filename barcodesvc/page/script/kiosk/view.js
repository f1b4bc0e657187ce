/**
 * One task for one screen: scan, copies, print, done. `#kiosk?sheet=L7160` names the sheet, `#kiosk?layout=shelf` a saved
 * layout, and `&printer=zebra` a printer of the service. Anything else comes from this device's settings.
 *
 * Rule: one action on the screen, few controls, no links. Only the address bar leaves it: the button, key or gesture for
 * "back" stays here. A task without input for a minute ends. What a person scans, types and enters counts in this order,
 * however late the service answers: a scan takes the task before it off at once, and Enter after it prints the scanned one.
 */

import { Refusal, Unreachable } from '../api.js'
import { newKey } from '../bookings/booking.js'
import { element, fill } from '../dom.js'
import { KioskInputs } from './inputs.js'
import { KioskOrders } from './orders.js'
import { KioskTask, MOST_COPIES } from './task.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { errorText } from '../failure.js'
import { findWanted, wantedBy } from './address.js'
import { KioskPrinter } from './printer.js'
import * as screens from './screens.js'
import { KioskStart } from './start.js'
import { fullScreenButton, stay } from './window.js'
import { sheetName } from '../labels/sheet_name.js'
import { PrinterState } from '../printers/choice.js'
import { draw, html } from '../ui.js'
import { whyNotQueued } from '../printers/jobs.js'
import { openPrinted, print, whyNotPrinted } from '../labels/printing.js'
import { resolveScan } from '../resolve_scan.js'
import { bad, good } from '../sounds.js'
import { keepScreenOn } from '../wake_lock.js'

/** Milliseconds that `done`, and the message of an unknown code, stay on the screen, and a task without input. */
const DONE = 2500
const UNKNOWN = 5000
const IDLE = 60_000

const LATE = 300 // until the screen says that a scanned code is looked up

/**
 * @param {import('../router.js').Route} route
 * @returns {import('../router.js').View}
 */
export function open({ query }) {
  const ended = new AbortController()
  const { signal } = ended
  const kiosk = new Kiosk(wantedBy(query), signal)
  stay(signal)
  keepScreenOn(signal)
  void kiosk.check().catch(() => undefined) // the service says the same when it prints
  return {
    node: kiosk.node,
    title: text('kiosk.title'),
    scan: (code) => kiosk.scan(code),
    type: (typed) => kiosk.type(typed),
    takeBack: (typed) => kiosk.takeBack(typed),
    isIdle: () => kiosk.isIdle(),
    close: () => {
      kiosk.close()
      ended.abort()
    },
  }
}

/**
 * A task with its screen; `code` is what was scanned, and `sent` the order that may be printed, with its key.
 *
 * @typedef {{task: KioskTask, screen: ReturnType<typeof screens.taskScreen>, code: string, sent?: {order: import('../labels/printing.js').Order, key: string}}} Current
 */

/** The screen, the task on it, and when it ends. */
class Kiosk {
  #screen = element('div')
  #mark = screens.heardMark()
  #status = element('p', { class: 'unseen', role: 'status' })
  #sheetName = element('span')
  #foot = element('footer', null, this.#sheetName)
  /** @type {KioskPrinter | null} */
  #printer = null
  /** Whether the address names an unknown layout, sheet or symbology. */
  #isWrong = false
  #start = new KioskStart()
  /** Whether the start screen is shown. */
  #isStart = false
  /** The task, unless it is being printed, or another code looked up. @type {Current | null} */
  #current = null
  #inputs = new KioskInputs()
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer

  /**
   * @param {import('./address.js').Wanted} wanted
   * @param {AbortSignal} signal
   */
  constructor(wanted, signal) {
    this.#wanted = wanted
    this.#orders = new KioskOrders(wanted)
    this.#signal = signal
    this.#foot.append(fullScreenButton(signal))
    this.node = element('section', { class: 'kiosk' }, this.#mark.node, this.#status, this.#screen, this.#foot)
    window.addEventListener('keydown', (event) => this.#press(event), { capture: true, signal })
    for (const type of ['keydown', 'pointerdown'])
      window.addEventListener(type, () => this.#expectInput(), { capture: true, signal })
    this.#ready()
  }

  #wanted
  #orders
  #signal

  /** Check what the address names, and may misspell. */
  async check() {
    const found = await findWanted(this.#wanted, this.#signal)
    const { printer, sheet, problem } = found
    this.#orders.know(found)
    if (printer) this.#watch(printer)
    if (problem) this.#refuse(problem)
    else this.#sheetName.textContent = [this.#wanted.layout, sheet && sheetName(sheet)].filter(Boolean).join(' · ')
  }

  /** @param {import('../types.js').Printer} printer */
  #watch(printer) {
    if (this.#printer) return
    const changed = () => this.#showStart()
    this.#printer = new KioskPrinter(printer, { failed: bad, changed }, this.#signal)
    changed()
    this.#foot.prepend(draw(html`<${PrinterState} watch=${this.#printer.watch} />`).node)
  }

  /** @param {import('./address.js').Problem} problem */
  #refuse({ says, hint, known }) {
    this.#isWrong = true
    const names = element('p', { class: 'soft' }, known.join(' · ') || '–')
    this.#show('bad', screens.messageScreen(says, element('p', null, text(hint)), names), says)
  }

  /**
   * @param {'' | 'good' | 'bad'} state
   * @param {HTMLElement} screen
   * @param {string} spoken by screen readers
   * @param {number} [time] milliseconds until the start is shown again
   */
  #show(state, screen, spoken, time) {
    clearTimeout(this.#timer)
    this.#current = null
    this.#isStart = false
    this.node.dataset['state'] = state
    if (!screen.isConnected) fill(this.#screen, screen)
    this.#status.textContent = spoken
    if (time) this.#timer = setTimeout(() => this.#ready(), time)
  }

  #ready() {
    this.#isStart = true
    this.#showStart()
  }

  /** Show the start screen as it is now, unless another one is shown. A scan under way goes on. */
  #showStart() {
    if (!this.#isStart) return
    this.#show('', this.#start.screen(this.#printer), this.#printer?.needs || text('kiosk.scan'))
    this.#isStart = true
  }

  /** End the task, or forget the scans whose product is not known yet. */
  #cancel() {
    this.#inputs.cancel()
    this.#ready()
  }

  /** Begin the minute after which a task without input ends, unless it may be printed already: a person has to see that. */
  #expectInput() {
    if (!this.#current || this.#current.task.isUnsure) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#ready(), IDLE)
  }

  /** @param {string} code */
  scan(code) {
    this.#mark.flash(code)
    if (this.#isWrong) return bad()
    const { task, code: last } = this.#current ?? {}
    // of a print without a response it is the same product, also before this scan has one
    const known = task?.isUnsure && last === code ? task.product : null
    this.#inputs.scan(
      async (signal) => known ?? (await Promise.all([resolveScan(code, signal), this.#orders.followLayout(signal)]))[0],
      (outcome, signal) => this.#takeScan(code, outcome, signal),
    )
  }

  /**
   * @param {string} code
   * @param {Promise<import('./inputs.js').Outcome<import('./task.js').Product>>} outcome
   * @param {AbortSignal} signal aborts if a person cancels
   */
  async #takeScan(code, outcome, signal) {
    const former = this.#takeOff()
    const cancel = () => this.#cancel()
    const looking = () => this.#show('', screens.lookingScreen(code, cancel), text('scan.looking'))
    const late = setTimeout(() => void (signal.aborted || this.#isWrong || looking()), LATE)
    const looked = await outcome
    clearTimeout(late)
    if (signal.aborted || this.#isWrong) return
    if ('error' in looked) return this.#notFound(looked.error, code, former)
    if (this.#found(looked.found, code, former) === 'again' && former) await this.#print(former)
  }

  /** Take the task off at once, so that nothing prints it, and return it. */
  #takeOff() {
    const former = this.#current
    clearTimeout(this.#timer)
    this.#current = null
    former?.screen.takeOff(true)
    return former
  }

  /**
   * Show a task again, as it was left.
   *
   * @param {Current} current
   * @param {string} message
   */
  #takeUp(current, message) {
    const { task, screen } = current
    screen.takeOff(false)
    this.#show('', screen.node, task.product.description)
    this.#current = current
    this.#expectInput()
    const lost = task.isUnsure ? text('printer.lost') : ''
    screen.show(message.includes(lost) ? message : `${message} ${lost}`.trim())
  }

  /**
   * @param {unknown} error
   * @param {string} code
   * @param {Current | null} former
   */
  #notFound(error, code, former) {
    bad()
    const isUnknown = error instanceof Refusal && error.details.reason === 'no_product_matches'
    const message = isUnknown ? text('labels.unknown', { code }) : errorText(error)
    const isSame = former?.code === code
    if (!isSame) former?.task.leave()
    if (former && (isSame || former.task.isWorthKeeping)) return this.#takeUp(former, message)
    this.#show('bad', screens.messageScreen(message), message, UNKNOWN)
  }

  /**
   * @param {import('./task.js').Product} product
   * @param {string} code
   * @param {Current | null} former
   */
  #found(product, code, former) {
    const done = former?.task.scan(product) ?? 'replace'
    if (done === 'ask') bad()
    else good()
    if (!former || done === 'replace') this.#beginTask(product, code)
    else
      this.#takeUp(
        former,
        done === 'ask' ? text('kiosk.instead', { product: screens.shortened(product.description) }) : '',
      )
    return done
  }

  /**
   * @param {import('./task.js').Product} product
   * @param {string} code
   */
  #beginTask(product, code) {
    const task = new KioskTask(product)
    const order = this.#orders.preview(product, this.#printer)
    const screen = screens.taskScreen(task, {
      symbology: this.#wanted.symbology,
      preview: order ? { order, signal: this.#signal } : undefined,
      hasText: !this.#orders.isMatrix,
      type: (digit) => void this.type(digit),
      print: () => this.#inputs.take(() => this.#print(current)),
      cancel: () => this.#cancel(),
    })
    const current = { task, screen, code }
    this.#show('', screen.node, product.description)
    this.#current = current
    this.#expectInput()
    screen.focus()
    const count = this.#printer?.waitingOf(product.product_code)
    if (count) screen.show(text('kiosk.held.already', { count, name: this.#wanted.printer }))
  }

  /**
   * Set the copies by typed digits; on the start screen, the first missing label.
   *
   * @param {string} typed
   */
  type(typed) {
    if (!this.#inputs.isPending) return this.#type(typed)
    this.#inputs.take(() => this.#type(typed))
    return /^\d+$/.test(typed)
  }

  /** @param {string} typed */
  #type(typed) {
    const { task, screen } = this.#current ?? {}
    if (this.#isStart) return this.#start.type(typed)
    if (!task?.type(typed)) return false
    screen?.show(task.isMistyped ? text('kiosk.too-many', { most: MOST_COPIES }) : '')
    return true
  }

  /** Take back the last typed digits, which were part of a code. @param {string} typed */
  takeBack(typed) {
    this.#inputs.take(() => {
      this.#start.takeBack()
      this.#current?.task.takeBack(typed.length)
      this.#current?.screen.show()
    })
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const { key, repeat } = event
    if (!this.#current && !this.#inputs.isPending) return
    if (key === 'Escape') this.#cancel()
    else if (key === 'Backspace') this.#inputs.take(() => this.#erase())
    else if (key !== 'Enter' || !this.#takesEnter()) return
    else if (!repeat) this.#inputs.take(() => this.#enter())
    event.preventDefault()
  }

  /** Whether an Enter is for the task, and not for the focused button, which prints or does what else it is for. */
  #takesEnter() {
    const focused = document.activeElement
    if (this.#inputs.isPending) return !focused?.closest('.looking')
    const { isMistyped, isLeft } = this.#current?.task ?? {}
    return isMistyped || (isLeft && focused === document.body)
  }

  #erase() {
    this.#current?.task.erase()
    this.#current?.screen.show()
  }

  #enter() {
    if (!this.#current) return undefined
    const { task, screen } = this.#current
    if (task.isLeft) return bad()
    if (!task.isMistyped) return this.#print(this.#current)
    task.keep()
    return screen.show(text('kiosk.too-many', { most: MOST_COPIES }))
  }

  /** @param {Current} current */
  async #print(current) {
    const { task, screen } = current
    const { printer, symbology } = this.#wanted
    clearTimeout(this.#timer)
    this.#current = null // what is scanned meanwhile waits
    screen.setPrinting(true)
    try {
      // nothing is printed elsewhere because the service could not be asked for the printer before
      if (printer && !this.#printer) await this.check()
      if (this.#isWrong) return
      const { order, key } = (current.sent ??= { order: this.#orders.of(task), key: newKey() })
      if (this.#printer) await this.#printer.print(order, key)
      this.#done(task, this.#printer !== null || (await print(order)))
    } catch (error) {
      bad()
      const why = this.#printer ? whyNotQueued(error, symbology) : whyNotPrinted(error, symbology)
      if (this.#signal.aborted) return announce(why, 'wait')
      task.isUnsure ||= this.#printer !== null && error instanceof Unreachable
      if (!task.isUnsure) delete current.sent
      // the scan takes the place of this task
      if (!task.isUnsure && this.#inputs.isPending) announce(`${task.product.description}: ${why}`, 'bad')
      screen.setPrinting(false)
      this.#takeUp(current, why)
    }
  }

  /**
   * @param {KioskTask} task
   * @param {boolean} isShown whether the browser has opened the document automatically
   */
  #done(task, isShown) {
    const { name, needs } = this.#printer ?? {}
    const says = name ? text(needs ? 'kiosk.held' : 'kiosk.sent', { name }) : text('kiosk.done')
    const what = `${task.product.description} · ${text('labels.sum', { count: task.copies })}`
    if (isShown) return this.#show(needs ? '' : 'good', screens.endScreen(says, what), `${says}: ${what}`, DONE)
    const opening = screens.openingScreen(() => this.#done(task, openPrinted()))
    this.#show('', opening, text('labels.open'), IDLE)
  }

  isIdle() {
    return this.#current === null && !this.#inputs.isBusy && !this.#printer?.troubles.length
  }

  close() {
    this.#inputs.cancel()
    clearTimeout(this.#timer)
  }
}
