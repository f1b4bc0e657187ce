/**
 * One task for one screen: scan, copies, print, done. `#kiosk?sheet=L7160` names the sheet, `#kiosk?layout=shelf` a saved
 * layout, and `&printer=zebra` a printer of the service. Anything else comes from this device's settings.
 *
 * Rule: one action on the screen, few controls, no links. Only the address bar leaves it: the button, key or gesture for
 * "back" stays here. A task without input for a minute ends. What a person scans, types and enters counts in this order,
 * however late the service answers: a scan takes the task before it off at once, and Enter after it prints the scanned one.
 */

import { ask, Refusal, Unreachable } from '../api.js'
import { newKey } from '../bookings/booking.js'
import { orderFor, whyNotPrinted } from '../labels/orders.js'
import { openPrinted, print } from '../labels/print.js'
import { text } from '../language.js'
import { announce } from '../in_front.js'
import { watchPrinter } from '../printers/watch.js'
import { queue, whyNotQueued } from '../printers/jobs.js'
import { resolveScan } from '../resolve_scan.js'
import { bad, good } from '../sounds.js'
import { batch, effect, errorText, html, signal, viewOf } from '../ui.js'
import { keepScreenOn } from '../while_visible.js'
import { findWanted, orderOf, wantedBy } from './address.js'
import { KioskInputs } from './inputs.js'
import { needsOf, waitingOf } from './printer.js'
import { KioskScreen } from './screens.js'
import * as tasks from './task.js'

/** Milliseconds that `done`, and the message of an unknown code, stay on the screen, and a task without input. */
const DONE = 2500
const UNKNOWN = 5000
const IDLE = 60_000

/** Milliseconds that the screen stays as it is while a scanned code is looked up; after that, it says so. */
const LATE = 300

/** @typedef {import('./task.js').Task} Task */
/** @typedef {import('./task.js').Product} Product */

/**
 * What the screen shows. A task is `off` while another code is looked up, and while it is printed.
 *
 * @typedef {{kind: 'start'} | {kind: 'looking', code: string} | {kind: 'message', message: string} | {kind: 'wrong', problem: import('./address.js').Problem} | {kind: 'task', task: Task, message: string, off: '' | 'looking' | 'printing'} | {kind: 'end', task: Task, message: string, isGood: boolean} | {kind: 'opening', task: Task}} Screen
 */

/**
 * @param {import('../router.js').Route} route
 * @returns {import('../router.js').View}
 */
export function open({ query }) {
  const ended = new AbortController()
  const kiosk = new Kiosk(wantedBy(query), ended.signal)
  stay(ended.signal)
  keepScreenOn(ended.signal)
  void kiosk.check().catch(() => undefined) // the service says the same when it prints
  return viewOf(html`<${KioskScreen} kiosk=${kiosk} />`, {
    title: text('kiosk.title'),
    scan: (code) => kiosk.scan(code),
    type: (typed) => kiosk.type(typed),
    takeBack: (typed) => kiosk.takeBack(typed),
    isIdle: () => kiosk.isIdle(),
    close: () => {
      kiosk.close()
      ended.abort()
    },
  })
}

/** The button, key or gesture for "back" stays here. @param {AbortSignal} ended */
function stay(ended) {
  const again = () => history.pushState(null, '', location.href)
  again()
  window.addEventListener('popstate', again, { signal: ended })
}

/** What the kiosk does with what a person scans, types and presses. */
export class Kiosk {
  screen = signal(/** @type {Screen} */ ({ kind: 'start' }))
  /** Tasks that another scan has replaced, the last one first. */
  replaced = signal(/** @type {Task[]} */ ([]))
  /** The last scan that was heard. */
  heard = signal({ code: '', at: 0 })
  /** What the service has of what the address names, as far as it has answered. */
  found = signal(/** @type {import('./address.js').Found | null} */ (null))
  watch = signal(/** @type {import('../printers/watch.js').Watch | null} */ (null))
  /** How many labels of a job came out, as a person types it, and the field for that while it is shown. */
  cameOut = { typed: signal(''), before: '', field: { current: /** @type {HTMLInputElement | null} */ (null) } }
  #inputs = new KioskInputs()
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer
  #ended

  /**
   * @param {import('./address.js').Wanted} wanted
   * @param {AbortSignal} ended
   */
  constructor(wanted, ended) {
    this.wanted = wanted
    this.#ended = ended
    window.addEventListener('keydown', (event) => this.#press(event), { capture: true, signal: ended })
    for (const type of ['keydown', 'pointerdown'])
      window.addEventListener(type, () => this.#expectInput(), { capture: true, signal: ended })
    const end = effect(() => void (this.watch.value?.broken.value.length && bad()))
    ended.addEventListener('abort', end)
  }

  /** Check what the address names, and may misspell. */
  async check() {
    const found = await findWanted(this.wanted, this.#ended)
    this.found.value = found
    if (found.printer) this.watch.value ??= watchPrinter([found.printer], found.printer.name, this.#ended)
    if (found.problem) this.#show({ kind: 'wrong', problem: found.problem })
  }

  /** The task, unless it is being printed, or another code looked up. */
  get #task() {
    const screen = this.screen.peek()
    return screen.kind === 'task' && !screen.off ? screen.task : null
  }

  get #isWrong() {
    return this.screen.peek().kind === 'wrong'
  }

  /** @type {(screen: Screen, time?: number) => void} `time` in milliseconds until the start is shown again */
  #show(screen, time) {
    clearTimeout(this.#timer)
    this.screen.value = screen
    if (time) this.#timer = setTimeout(() => this.#ready(), time)
  }

  /** @param {Task} task */
  #showTask(task, message = task.sent ? text('printer.lost') : '') {
    this.#show({ kind: 'task', task, message, off: '' })
    this.#expectInput()
  }

  /** Show the start, or first a task that may be printed: a person has to see to that. */
  #ready() {
    const [unsure, ...others] = this.replaced.peek().filter(({ sent }) => sent)
    this.replaced.value = others
    if (unsure) this.#showTask(unsure)
    else this.#show({ kind: 'start' })
  }

  /** End the task, or forget the scans whose product is not known yet. */
  cancel() {
    this.#inputs.cancel()
    this.#ready()
  }

  /** Begin the minute after which a task without input ends, unless it may be printed already. */
  #expectInput() {
    if (!this.#task || this.#task.sent) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#ready(), IDLE)
  }

  /** @param {string} code */
  scan(code) {
    this.heard.value = { code, at: performance.now() }
    if (this.#isWrong) return bad()
    // of a print without a response it is the same product, also before this scan has one
    const unsure = [this.#task, ...this.replaced.peek()].find((task) => task?.sent && task.code === code)
    this.#inputs.scan(
      async (ended) => unsure?.product ?? (await Promise.all([resolveScan(code, ended), this.#followLayout(ended)]))[0],
      (outcome, ended) => this.#takeScan(code, outcome, ended),
    )
  }

  /** Load the layout again, because another device may have changed it. @param {AbortSignal} ended */
  async #followLayout(ended) {
    const { layout } = this.wanted
    const path = `/api/codes/layouts/${encodeURIComponent(layout)}`
    const saved = layout && (await ask('GET', path, { signal: ended }).catch(() => null)) // without it, it stays
    const found = this.found.peek()
    if (saved && found) this.found.value = { ...found, layout: saved.layout }
  }

  /** @type {(code: string, outcome: Promise<import('./inputs.js').Outcome<Product>>, ended: AbortSignal) => Promise<void>} */
  async #takeScan(code, outcome, ended) {
    this.#takeOff()
    const late = setTimeout(() => ended.aborted || this.#isWrong || this.#show({ kind: 'looking', code }), LATE)
    const looked = await outcome
    clearTimeout(late)
    if (ended.aborted || this.#isWrong) return
    if ('error' in looked) return this.#sayNotFound(looked.error, code)
    good()
    await this.#takeProduct(looked.found, code)
  }

  /** Take the task off at once, so that nothing prints it. */
  #takeOff() {
    const task = this.#task
    clearTimeout(this.#timer)
    if (!task) return
    batch(() => {
      this.replaced.value = [task, ...this.replaced.peek()]
      this.screen.value = { kind: 'task', task, message: '', off: 'looking' }
    })
  }

  /** @type {(error: unknown, code: string) => void} */
  #sayNotFound(error, code) {
    bad()
    const isUnknown = error instanceof Refusal && error.details.reason === 'no_product_matches'
    const message = isUnknown ? text('labels.unknown', { code }) : errorText(error)
    this.replaced.value = this.replaced.peek().filter((task) => tasks.isWorthKeeping(task) || task.code === code)
    this.#show({ kind: 'message', message }, this.replaced.peek().length ? IDLE : UNKNOWN)
  }

  /** One more label, another task, or the same job again. @type {(product: Product, code: string) => Promise<void> | void} */
  #takeProduct(product, code) {
    const all = this.replaced.peek()
    const known = all.find((task, at) => task.product.id === product.id && (task.sent || at === 0))
    this.replaced.value = all.filter((task) => task !== known && tasks.isWorthKeeping(task))
    if (known?.sent) return this.#print(known)
    if (known) return this.#showTask(tasks.stepCopies(known, 1))
    const count = waitingOf(this.watch.peek(), product.product_code)
    const name = this.wanted.printer
    return this.#showTask(
      tasks.beginTask(product, code),
      count ? text('kiosk.held.already', { count, name }) : undefined,
    )
  }

  /** Go on with the task that the last scan has replaced. */
  undo() {
    this.#inputs.take(() => {
      const task = this.#task
      const [last, ...rest] = this.replaced.peek()
      if (!last) return
      this.replaced.value = task?.sent ? [...rest, task] : rest
      this.#showTask(last)
    })
  }

  /** @param {(task: Task) => Task} act */
  change(act) {
    const task = this.#task
    if (task) this.#showTask(act(task))
  }

  /**
   * Set the copies by typed digits; on the start screen, how many labels came out.
   *
   * @param {string} typed
   */
  type(typed) {
    if (!/^\d+$/.test(typed)) return false
    if (!this.#inputs.isPending) return this.#type(typed)
    this.#inputs.take(() => this.#type(typed))
    return true
  }

  /** @param {string} digits */
  #type(digits) {
    const { typed, field } = this.cameOut
    if (this.screen.peek().kind === 'start' && field.current) {
      this.cameOut.before = typed.value
      typed.value = digits
      field.current.focus()
      return true
    }
    const isTask = this.#task !== null
    this.change((task) => tasks.typeDigits(task, digits))
    return isTask
  }

  /** Take back the last typed digits, which were part of a code. @param {string} digits */
  takeBack(digits) {
    this.#inputs.take(() => {
      const { typed, before, field } = this.cameOut
      if (field.current) typed.value = before
      field.current?.blur()
      this.change((task) => tasks.takeBackDigits(task, digits.length))
    })
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const { key, repeat } = event
    const isMessage = this.screen.peek().kind === 'message'
    if (!this.#task && !this.#inputs.isPending && !isMessage) return
    if (key === 'Escape') this.cancel()
    else if (key === 'Backspace') this.#inputs.take(() => this.change(tasks.eraseDigit))
    else if (key !== 'Enter' || document.activeElement?.closest('button:not(.main)')) return
    else if (!repeat) this.#inputs.take(() => this.print())
    event.preventDefault()
  }

  /** Print the task of a button that is pressed, after all before it; what is looked up then is not of it. */
  press() {
    if (!this.#inputs.isPending) this.#inputs.take(() => this.print())
  }

  /** Print the task, unless what was typed is no number of copies. */
  print() {
    const task = this.#task
    if (!task || task.isRefused) return undefined
    if (!tasks.isTooMany(task)) return this.#print(task)
    bad()
    return this.#showTask(tasks.clearCopies(task), text('kiosk.too-many', { most: tasks.MOST_COPIES }))
  }

  /** @param {Task} task */
  async #print(task) {
    const { symbology } = this.wanted
    this.#show({ kind: 'task', task, message: '', off: 'printing' }) // what is scanned meanwhile waits
    let { sent } = task
    try {
      // nothing is printed elsewhere, or looks different, because the service could not be asked before
      if (!this.found.peek()) await this.check()
      const found = this.found.peek()
      if (this.#isWrong || !found) return
      sent ??= { order: orderOf(this.wanted, found, task), key: newKey() }
      await this.#send(task, sent)
    } catch (error) {
      bad()
      const why = this.watch.peek() ? whyNotQueued(error, symbology) : whyNotPrinted(error, symbology)
      if (this.#ended.aborted) return announce(why, 'wait')
      const isUnsure = task.sent !== null || (this.watch.peek() !== null && error instanceof Unreachable)
      // the scan takes the place of this task
      if (!isUnsure && this.#inputs.isPending) announce(`${task.product.description}: ${why}`, 'bad')
      const lost = isUnsure ? text('printer.lost') : ''
      this.#showTask({ ...task, sent: isUnsure ? sent : null }, why.includes(lost) ? why : `${why} ${lost}`)
    }
  }

  /** @type {(task: Task, sent: import('./task.js').Sent) => Promise<void>} */
  async #send(task, { order, key }) {
    const watch = this.watch.peek()
    const printer = watch?.printer.peek()
    if (!watch || !printer) return this.#endTask(task, await print(order))
    await queue(orderFor(order, printer), key)
    void watch.look()
    this.#endTask(task, true)
  }

  /** @type {(task: Task, isShown: boolean) => void} `isShown` says whether the browser has opened the document by itself */
  #endTask(task, isShown) {
    const name = this.wanted.printer
    const needs = needsOf(this.watch.peek())
    const message = name ? text(needs ? 'kiosk.held' : 'kiosk.sent', { name }) : text('kiosk.done')
    this.replaced.value = this.replaced.peek().filter(({ sent }) => sent)
    if (isShown) this.#show({ kind: 'end', task, message, isGood: !needs }, DONE)
    else this.#show({ kind: 'opening', task }, IDLE)
  }

  /** Open the document by a person's touch. @param {Task} task */
  openDocument(task) {
    this.#endTask(task, openPrinted())
  }

  isIdle() {
    const isOpen = this.#task || this.replaced.peek().length || this.watch.peek()?.unsettled.peek().length
    return !isOpen && !this.#inputs.isBusy
  }

  close() {
    this.#inputs.cancel()
    clearTimeout(this.#timer)
  }
}
