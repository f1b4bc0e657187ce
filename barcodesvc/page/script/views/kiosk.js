/**
 * One task for one screen: scan, copies, print, done. `#kiosk?sheet=L7160` names the sheet, `#kiosk?layout=shelf` a saved
 * layout, and `&printer=zebra` a printer of the service. Anything else comes from this device's settings.
 *
 * Rule: one action on the screen, few controls, no links. Only the address bar leaves it: the button, key or gesture for
 * "back" stays here. A task without input for a minute ends.
 */

import { ask, Refusal } from '../api.js'
import { element, fill } from '../dom.js'
import { KioskTask, MOST_COPIES } from '../kiosk_task.js'
import { layoutOn, NEW, sheetOf } from '../label_layout.js'
import { text } from '../language.js'
import { latestOnly } from '../latest.js'
import { announce } from '../notices.js'
import { errorText } from '../parts/failure.js'
import { KioskPrinter } from '../parts/kiosk_printer.js'
import { fullScreenButton } from '../parts/full_screen.js'
import { heardMark } from '../parts/heard_mark.js'
import { messageScreen, openingScreen, taskScreen } from '../parts/kiosk_screens.js'
import { KioskStart } from '../parts/kiosk_start.js'
import { sheetName } from '../parts/sheet_name.js'
import { BEST } from '../parts/symbology_choice.js'
import { listPrinters, whyNotQueued } from '../printers.js'
import { openPrinted, print, whyNotPrinted } from '../printing.js'
import { resolveScan } from '../resolve_scan.js'
import { settings } from '../settings.js'
import { capacity, normalName, sheetNamed, usualSheets } from '../sheets.js'
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
  const layout = query.get('layout') ?? ''
  const wanted = {
    layout,
    printer: query.get('printer') ?? '',
    named: query.get('sheet') ?? '',
    sheet: query.get('sheet') ?? (layout ? '' : settings().sheet || usualSheets()[0]),
    symbology: query.get('symbology') ?? settings().symbology,
  }
  const kiosk = new Kiosk(wanted, signal)
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

/**
 * What the address names, or else the settings; an empty sheet is that of the layout, an empty layout none. `named` is the
 * sheet of the address. Without a printer, the browser prints.
 *
 * @typedef {{layout: string, printer: string, named: string, sheet: string, symbology: string}} Wanted
 */

/** The screen, the task on it, and when it ends. */
class Kiosk {
  #screen = element('div')
  #mark = heardMark()
  #status = element('p', { class: 'unseen', role: 'status' })
  #sheetName = element('span')
  #foot = element('footer', null, this.#sheetName)
  /** @type {KioskPrinter | null} */
  #printer = null
  /** Whether the address names an unknown layout, sheet or symbology. */
  #isWrong = false
  #isMatrix = false
  #start = new KioskStart()
  /** Whether the start screen is shown. */
  #isStart = false
  /** The sheet whose label is shown; null if only the service knows it. @type {import('../sheets.js').Sheet | null} */
  #label = null
  /** The saved layout. @type {import('../label_layout.js').Layout} */
  #layout = {}
  /** @type {{task: KioskTask, screen: ReturnType<typeof taskScreen>} | null} */
  #current = null
  /** A response to an earlier action no longer changes the screen. */
  #begin = latestOnly()
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer

  /**
   * @param {Wanted} wanted
   * @param {AbortSignal} signal
   */
  constructor(wanted, signal) {
    this.#wanted = wanted
    this.#signal = signal
    this.#foot.append(fullScreenButton(signal))
    this.node = element('section', { class: 'kiosk' }, this.#mark.node, this.#status, this.#screen, this.#foot)
    window.addEventListener('keydown', (event) => this.#press(event), { capture: true, signal })
    for (const type of ['keydown', 'pointerdown'])
      window.addEventListener(type, () => this.#expectInput(), { capture: true, signal })
    this.#ready()
  }

  #wanted
  #signal

  /** Check what the address names, and may misspell. */
  async check() {
    const { layout, named, sheet: usual, symbology } = this.#wanted
    const lists = ['sheets', 'formats', ...(layout ? ['layouts'] : [])]
    const [sheets, formats, layouts = []] = await Promise.all(
      lists.map((list) => ask('GET', `/api/codes/${list}`, { signal: this.#signal })),
    )
    const saved = layouts.find((/** @type {any} */ each) => each.name === layout)
    this.#layout = saved?.layout ?? {}
    const held = await this.#findPrinter()
    const name = held ?? usual
    const sheet = sheetNamed(sheets, name || sheetOf(this.#layout))
    const wanted = normalName(symbology)
    const format = formatNamed(formats, wanted)
    this.#isMatrix = format?.kind === 'matrix'
    this.#label = sheet
    if (this.#isWrong) return
    const known = sheets.map((/** @type {any} */ each) => each.sheet)
    if (layout && !saved) {
      const names = layouts.map((/** @type {any} */ each) => each.name)
      return void this.#refuse(text('kiosk.layout.wrong', { layout }), 'kiosk.address.layouts', names)
    }
    if (name && !sheet) return void this.#refuse(text('kiosk.sheet.wrong', { sheet: name }), 'kiosk.address', known)
    if (this.#isOther(held, sheetNamed(sheets, named), sheet)) return
    this.#sheetName.textContent = [layout, sheet && sheetName(sheet)].filter(Boolean).join(' · ')
    if (!format && wanted !== BEST) this.#refuse(text('kiosk.symbology.wrong', { symbology }), 'kiosk.address', known)
  }

  /**
   * Return whether the address names another sheet than is in its printer, and say so.
   *
   * @param {string | null} held what is in the printer
   * @param {import('../sheets.js').Sheet | null} wanted
   * @param {import('../sheets.js').Sheet | null} sheet that is in the printer
   */
  #isOther(held, wanted, sheet) {
    const { printer, named } = this.#wanted
    if (!held || !named || wanted?.sheet === sheet?.sheet) return false
    this.#refuse(text('kiosk.sheet.other', { printer, sheet: named }), 'kiosk.address.held', [held])
    return true
  }

  /** Find the printer of the address; return what is in it, or null if the address names none. */
  async #findPrinter() {
    const { printer } = this.#wanted
    if (!printer) return null
    const printers = await listPrinters(this.#signal)
    const found = printers.find(({ name }) => name === printer)
    const names = printers.map(({ name }) => name)
    const changed = () => this.#showStart()
    if (this.#printer) return this.#printer.label
    if (!found) return this.#refuse(text('kiosk.printer.wrong', { printer }), 'kiosk.address.printers', names)
    this.#printer = new KioskPrinter(found, { failed: bad, changed }, this.#signal)
    this.#foot.prepend(this.#printer.node)
    return found.label
  }

  /**
   * @param {string} problem
   * @param {string} hint the key of the text before the known names
   * @param {string[]} known
   */
  #refuse(problem, hint, known) {
    this.#isWrong = true
    const names = element('p', { class: 'soft' }, known.join(' · ') || '–')
    this.#show('bad', messageScreen(problem, element('p', null, text(hint)), names), problem)
    return null
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
    fill(this.#screen, screen)
    this.#status.textContent = spoken
    if (time) this.#timer = setTimeout(() => this.#ready(), time)
  }

  #ready() {
    this.#begin()
    this.#isStart = true
    this.#showStart()
  }

  /** Show the start screen as it is now, unless another one is shown. A scan under way goes on. */
  #showStart() {
    if (!this.#isStart) return
    this.#show('', this.#start.screen(this.#printer), this.#printer?.needs || text('kiosk.scan'))
    this.#isStart = true
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
      const [product] = await Promise.all([resolveScan(code, this.#signal), this.#followLayout()])
      if (isLast()) this.#found(product)
    } catch (error) {
      if (!isLast() || this.#signal.aborted) return
      bad()
      const isUnknown = error instanceof Refusal && error.details.reason === 'no_product_matches'
      this.#notFound(isUnknown ? text('labels.unknown', { code }) : errorText(error))
    }
  }

  /** Load the layout again, because another device may have changed it; without a response it stays as it was. */
  async #followLayout() {
    const { layout } = this.#wanted
    if (!layout) return
    const path = `/api/codes/layouts/${encodeURIComponent(layout)}`
    const saved = await ask('GET', path, { signal: this.#signal }).catch(() => null)
    if (saved) this.#layout = saved.layout
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
    if (done === 'replace') return this.#beginTask(product)
    this.#current?.screen.show(done === 'ask' ? text('kiosk.instead', { product: product.description }) : '')
  }

  /** @param {import('../kiosk_task.js').Product} product */
  #beginTask(product) {
    this.#printer?.begin()
    const task = new KioskTask(product)
    const screen = taskScreen(task, {
      symbology: this.#wanted.symbology,
      preview: this.#preview(product.product_code),
      hasText: !this.#isMatrix,
      type: (digit) => void this.type(digit),
      print: () => void this.#print(task, screen),
      cancel: () => this.#ready(),
    })
    this.#show('', screen.node, product.description)
    this.#current = { task, screen }
    this.#expectInput()
    screen.focus()
    const count = this.#printer?.waitingOf(product.product_code)
    if (count) screen.show(text('kiosk.held.already', { count, name: this.#wanted.printer }))
  }

  /**
   * Return the picture of a label with the saved layout, as it is printed, or undefined without one.
   *
   * @param {string} code
   */
  #preview(code) {
    const { layout, printer } = this.#wanted
    if (!layout && !printer) return undefined
    const label = this.#label
    const order = this.#order([{ code, copies: 1 }])
    const size = label && capacity(label) > 1 && `${label.label_width}x${label.label_height}mm`
    const whole = this.#printer?.orderFor(order) ?? order
    const alone = size ? { ...whole, sheet: size, layout: layoutOn(whole.layout ?? {}, size) } : whole
    return { order: alone, signal: this.#signal }
  }

  /** @param {{code: string, copies: number}[]} products */
  #order(products) {
    const { layout, sheet, symbology } = this.#wanted
    return { products, symbology, sheet, layout: layout ? this.#layout : NEW }
  }

  /**
   * Set the copies by typed digits; on the start screen, the first missing label.
   *
   * @param {string} typed
   */
  type(typed) {
    const { task, screen } = this.#current ?? {}
    if (this.#isStart) return this.#start.type(typed)
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
    const { printer, symbology } = this.#wanted
    clearTimeout(this.#timer)
    this.#current = null // a scan that comes meanwhile is another task
    screen.setPrinting(true)
    try {
      // nothing is printed elsewhere because the service could not be asked for the printer before
      if (printer && !this.#printer) await this.check()
      if (this.#isWrong) return
      const order = this.#order([{ code: task.product.product_code, copies: task.copies }])
      const isShown = this.#printer ? await this.#printer.print(order).then(() => true) : await print(order)
      if (isLast()) this.#done(isShown)
    } catch (error) {
      bad()
      const why = this.#printer ? whyNotQueued(error, symbology) : whyNotPrinted(error, symbology)
      if (!isLast()) return announce(why, 'bad')
      this.#current = { task, screen }
      this.#expectInput()
      screen.setPrinting(false)
      screen.show(why)
    }
  }

  /** @param {boolean} isShown whether the browser has opened the document automatically */
  #done(isShown) {
    const { name, needs } = this.#printer ?? {}
    const says = name ? text(needs ? 'kiosk.held' : 'kiosk.sent', { name }) : text('kiosk.done')
    if (isShown) return this.#show(needs ? '' : 'good', messageScreen(says), says, DONE)
    const opening = openingScreen(() => this.#done(openPrinted()))
    this.#show('', opening, text('labels.open'), IDLE)
  }

  isIdle() {
    return this.#current === null && (this.#printer?.isIdle ?? true)
  }

  close() {
    clearTimeout(this.#timer)
  }
}

/**
 * @param {{format: string, kind: string, aliases: string[]}[]} formats
 * @param {string} wanted
 */
function formatNamed(formats, wanted) {
  return formats.find(({ format, aliases }) => [format, ...aliases].some((each) => normalName(each) === wanted))
}

/** @param {AbortSignal} signal */
function stay(signal) {
  const again = () => history.pushState(null, '', location.href)
  again()
  window.addEventListener('popstate', again, { signal })
}
