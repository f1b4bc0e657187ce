/**
 * One task for one screen: scan, copies, print, done. `#kiosk?sheet=L7160` names the sheet, and may name the symbology;
 * anything else comes from this device's settings.
 *
 * Rule: one action on the screen, few controls, no links. Only the address bar leaves it: the button, key or gesture for
 * "back" stays here. A task without input for a minute ends.
 */

import { ask, Refusal } from '../api.js'
import { element, fill } from '../dom.js'
import { KioskTask, MOST_COPIES } from '../kiosk_task.js'
import { text } from '../language.js'
import { latestOnly } from '../latest.js'
import { announce } from '../notices.js'
import { errorText } from '../parts/failure.js'
import { fullScreenButton } from '../parts/full_screen.js'
import { heardMark } from '../parts/heard_mark.js'
import { messageScreen, openingScreen, startScreen, taskScreen } from '../parts/kiosk_screens.js'
import { sheetName } from '../parts/sheet_name.js'
import { BEST } from '../parts/symbology_choice.js'
import { openPrinted, print, whyNotPrinted } from '../printing.js'
import { resolveScan } from '../resolve_scan.js'
import { settings } from '../settings.js'
import { normalName, sheetNamed, usualSheets } from '../sheets.js'
import { bad, good } from '../sounds.js'
import { keepScreenOn } from '../wake_lock.js'

/** Milliseconds that `done`, and the message of an unknown code, stay on the screen, and a task without input. */
const DONE = 2500
const UNKNOWN = 5000
const IDLE = 60_000

/**
 * @param {import('../router.js').Route} route
 * @returns {import('../router.js').View}
 */
export function open({ query }) {
  const ended = new AbortController()
  const { signal } = ended
  const kiosk = new Kiosk(
    query.get('sheet') ?? (settings().sheet || usualSheets()[0]),
    query.get('symbology') ?? settings().symbology,
    signal,
  )
  stay(signal)
  keepScreenOn(signal)
  void kiosk.check().catch(() => undefined) // the service says the same when it prints
  return {
    node: kiosk.node,
    title: text('kiosk.title'),
    scan: (code) => void kiosk.scan(code),
    type: (typed) => kiosk.type(typed),
    isIdle: () => kiosk.isIdle(),
    close: () => {
      kiosk.close()
      ended.abort()
    },
  }
}

/** The screen, the task on it, and when it ends. */
class Kiosk {
  #screen = element('div')
  #mark = heardMark()
  #status = element('p', { class: 'unseen', role: 'status' })
  #sheetName = element('span')
  /** Whether the address names an unknown sheet or symbology. */
  #isWrong = false
  #isMatrix = false
  /** @type {{task: KioskTask, screen: ReturnType<typeof taskScreen>} | null} */
  #current = null
  /** A response to an earlier action no longer changes the screen. */
  #begin = latestOnly()
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer

  /**
   * @param {string} sheet
   * @param {string} symbology
   * @param {AbortSignal} signal
   */
  constructor(sheet, symbology, signal) {
    this.#sheet = sheet
    this.#symbology = symbology
    this.#signal = signal
    const foot = element('footer', null, this.#sheetName, fullScreenButton(signal))
    this.node = element('section', { class: 'kiosk' }, this.#mark.node, this.#status, this.#screen, foot)
    window.addEventListener('keydown', (event) => this.#press(event), { capture: true, signal })
    for (const type of ['keydown', 'pointerdown'])
      window.addEventListener(type, () => this.#expectInput(), { capture: true, signal })
    this.#ready()
  }

  #sheet
  #symbology
  #signal

  /** Check the sheet and the symbology, which the address may misspell. */
  async check() {
    const [sheets, formats] = await Promise.all([
      ask('GET', '/api/codes/sheets', { signal: this.#signal }),
      ask('GET', '/api/codes/formats', { signal: this.#signal }),
    ])
    const sheet = sheetNamed(sheets, this.#sheet)
    const wanted = normalName(this.#symbology)
    const format = formats.find((/** @type {any} */ { format: name, aliases }) =>
      [name, ...aliases].some((each) => normalName(each) === wanted),
    )
    this.#isMatrix = format?.kind === 'matrix'
    if (!sheet) return this.#refuse(text('kiosk.sheet.wrong', { sheet: this.#sheet }), sheets)
    this.#sheetName.textContent = sheetName(sheet)
    if (!format && wanted !== BEST) this.#refuse(text('kiosk.symbology.wrong', { symbology: this.#symbology }), sheets)
  }

  /**
   * @param {string} problem
   * @param {import('../sheets.js').Sheet[]} sheets
   */
  #refuse(problem, sheets) {
    this.#isWrong = true
    const known = sheets.map(({ sheet }) => sheet).join(' · ')
    const further = [element('p', null, text('kiosk.address')), element('p', { class: 'soft' }, known)]
    this.#show('bad', messageScreen(problem, ...further), problem)
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
    this.node.dataset['state'] = state
    fill(this.#screen, screen)
    this.#status.textContent = spoken
    if (time) this.#timer = setTimeout(() => this.#ready(), time)
  }

  #ready() {
    this.#begin()
    this.#show('', startScreen(), text('kiosk.scan'))
  }

  /** Begin the minute after which a task without input ends. */
  #expectInput() {
    if (!this.#current) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#ready(), IDLE)
  }

  /** @param {string} code */
  async scan(code) {
    this.#mark.flash(code)
    if (this.#isWrong) return bad()
    this.#expectInput()
    const isLast = this.#begin()
    try {
      const product = await resolveScan(code, this.#signal)
      if (isLast()) this.#found(product)
    } catch (error) {
      if (!isLast() || this.#signal.aborted) return
      bad()
      const isUnknown = error instanceof Refusal && error.details.reason === 'no_product_matches'
      this.#notFound(isUnknown ? text('labels.unknown', { code }) : errorText(error))
    }
  }

  /** @param {string} message */
  #notFound(message) {
    if (!this.#current) return this.#show('bad', messageScreen(message), message, UNKNOWN)
    this.#current.task.keep()
    this.#current.screen.show(message)
  }

  /** @param {import('../kiosk_task.js').Product} product */
  #found(product) {
    const done = this.#current?.task.scan(product) ?? 'replace'
    if (done === 'ask') bad()
    else good()
    if (done === 'replace') return this.#start(product)
    this.#current?.screen.show(done === 'ask' ? text('kiosk.instead', { product: product.description }) : '')
  }

  /** @param {import('../kiosk_task.js').Product} product */
  #start(product) {
    const task = new KioskTask(product)
    const screen = taskScreen(task, {
      symbology: this.#symbology,
      hasText: !this.#isMatrix,
      type: (digit) => void this.type(digit),
      print: () => void this.#print(task, screen),
      cancel: () => this.#ready(),
    })
    this.#show('', screen.node, product.description)
    this.#current = { task, screen }
    this.#expectInput()
    screen.focus()
  }

  /**
   * Set the copies by typed digits.
   *
   * @param {string} typed
   */
  type(typed) {
    const { task, screen } = this.#current ?? {}
    if (!task?.type(typed)) return false
    screen?.show(task.isMistyped ? text('kiosk.too-many', { most: MOST_COPIES }) : '')
    return true
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const { task, screen } = this.#current ?? {}
    if (!task) return
    if (event.key === 'Escape') this.#ready()
    else if (event.key === 'Backspace') task.erase()
    else if (event.key !== 'Enter' || !task.isMistyped) return
    event.preventDefault()
    if (event.key !== 'Enter') return screen?.show()
    task.keep()
    screen?.show(text('kiosk.too-many', { most: MOST_COPIES }))
  }

  /**
   * @param {KioskTask} task
   * @param {ReturnType<typeof taskScreen>} screen
   */
  async #print(task, screen) {
    const isLast = this.#begin()
    const products = [{ code: task.product.product_code, copies: task.copies }]
    const order = { products, symbology: this.#symbology, sheet: this.#sheet, lines: { include_description: true } }
    clearTimeout(this.#timer)
    this.#current = null // a scan that comes meanwhile is another task
    screen.setPrinting(true)
    try {
      const isShown = await print(order)
      if (isLast()) this.#done(isShown)
    } catch (error) {
      bad()
      if (!isLast()) return announce(whyNotPrinted(error, order), 'bad')
      this.#current = { task, screen }
      this.#expectInput()
      screen.setPrinting(false)
      screen.show(whyNotPrinted(error, order))
    }
  }

  /** @param {boolean} isShown whether the browser has opened the document automatically */
  #done(isShown) {
    if (isShown) return this.#show('good', messageScreen(text('kiosk.done')), text('kiosk.done'), DONE)
    const opening = openingScreen(() => this.#done(openPrinted()))
    this.#show('', opening, text('labels.open'), IDLE)
  }

  isIdle() {
    return this.#current === null
  }

  close() {
    clearTimeout(this.#timer)
  }
}

/** @param {AbortSignal} signal */
function stay(signal) {
  const again = () => history.pushState(null, '', location.href)
  again()
  window.addEventListener('popstate', again, { signal })
}
