/**
 * What the kiosk does with what a person scans, types and presses.
 *
 * Rule: that counts in its order, however late the service answers: a scan takes the task before it off at once, and Enter
 * after it prints the scanned one. A task without input for a minute ends, but for one that may be printed already: that
 * comes back until a person has seen to it.
 */

import { ask, Refusal, Unreachable } from '../api.js'
import { newKey } from '../idempotency_key.js'
import { announce } from '../in_front.js'
import { InTurn } from '../in_turn.js'
import { whyNotPrinted } from '../labels/orders.js'
import { openPrinted, print } from '../labels/print.js'
import { text } from '../language.js'
import { isOver } from '../printers/list.js'
import { queue, whyNotQueued } from '../printers/jobs.js'
import { watchPrinter } from '../printers/watch.js'
import { resolveScan } from '../resolve_scan.js'
import { bad, good } from '../sounds.js'
import { errorText, signal } from '../ui.js'
import { findWanted, orderOf } from './address.js'
import { needsOf } from './printer.js'
import * as tasks from './task.js'

/** @import {Watch} from '../printers/watch.js' */
/** @import {Found, Wanted} from './address.js' */
/** @import {Product, Task} from './task.js' */

/** @typedef {{title: string, tone?: 'good' | 'bad', icon?: string, line?: string, press?: {isMain?: boolean, label: string, act: () => void}}} Says */
/** What the screen shows: a task, which is `off` while another code is looked up, and while it is printed; or what it `says`. @typedef {{kind: 'start'} | {kind: 'task', task: Task, message: string, off: '' | 'looking' | 'printing'} | ({kind: 'says'} & Says)} Screen */
/** @typedef {ReturnType<typeof kioskOf>} Kiosk */

/** Milliseconds that `done`, and the message of an unknown code, stay on the screen, and a task without input. */
const DONE = 2500
const UNKNOWN = 5000
const IDLE = 60_000

/** Milliseconds that the screen stays as it is while a scanned code is looked up; after that, it says so. */
const LATE = 300

/** Return the kiosk of an address. @param {Wanted} wanted @param {AbortSignal} ended */
export function kioskOf(wanted, ended) {
  const kiosk = {
    ...{ wanted, ended },
    screen: signal(/** @type {Screen} */ ({ kind: 'start' })),
    /** The task that the last scan has replaced, and those that may be printed already. */
    last: signal(/** @type {Task | null} */ (null)),
    unsure: /** @type {Task[]} */ ([]),
    heard: signal({ code: '', at: 0 }),
    found: signal(/** @type {Found | null} */ (null)),
    watch: signal(/** @type {Watch | null} */ (null)),
    turns: new InTurn(),
    /** How many scans are looked up, and what forgets them. */
    pending: 0,
    forgetting: new AbortController(),
    timer: /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined),
  }
  find(kiosk, ended).catch(() => undefined) // the first scan says so
  return kiosk
}

/** Return the task, unless it is being printed, or another code looked up. @param {Kiosk} kiosk */
function taskOf({ screen }) {
  const shown = screen.peek()
  return shown.kind === 'task' && !shown.off ? shown.task : null
}

/** Show a screen, for some milliseconds or until another one is shown. @type {(kiosk: Kiosk, screen: Screen, time?: number) => void} */
function show(kiosk, screen, time) {
  clearTimeout(kiosk.timer)
  kiosk.screen.value = screen
  if (time) kiosk.timer = setTimeout(() => ready(kiosk), time)
}

/** @type {(kiosk: Kiosk, task: Task, message?: string) => void} */
function showTask(kiosk, task, message = task.sent ? text('printer.lost') : '') {
  show(kiosk, { kind: 'task', task, message, off: '' })
  expectInput(kiosk)
}

/** Begin the minute after which a task without input ends, unless it may be printed already. @param {Kiosk} kiosk */
export function expectInput(kiosk) {
  const task = taskOf(kiosk)
  if (!task || task.sent) return
  clearTimeout(kiosk.timer)
  kiosk.timer = setTimeout(() => ready(kiosk), IDLE)
}

/** Show the start, or first a task that may be printed: a person has to see to that. @param {Kiosk} kiosk */
function ready(kiosk) {
  const [unsure] = kiosk.unsure
  kiosk.last.value = null
  if (unsure) showTask(kiosk, unsure)
  else show(kiosk, { kind: 'start' })
}

/** @type {(kiosk: Kiosk, sent: Task['sent'] | undefined) => void} */
function forgetUnsure(kiosk, sent) {
  kiosk.unsure = kiosk.unsure.filter((task) => task.sent !== sent)
}

/** End the task, or forget the scans whose product is not known yet, with what was entered after them. @param {Kiosk} kiosk */
export function cancel(kiosk) {
  kiosk.forgetting.abort()
  kiosk.forgetting = new AbortController()
  kiosk.pending = 0
  forgetUnsure(kiosk, taskOf(kiosk)?.sent)
  ready(kiosk)
}

/** Do something after all before it, unless a person cancels that. @type {(kiosk: Kiosk, act: () => unknown) => void} */
function take({ turns, forgetting: { signal: forgotten } }, act) {
  void turns.take(() => (forgotten.aborted ? undefined : act()))
}

/** Find what the address names; later its layout alone, because another device may have changed it. @type {(kiosk: Kiosk, until: AbortSignal) => Promise<void>} */
async function find({ wanted, found, watch, ended }, until) {
  const before = found.peek()
  if (!before) {
    const { printer } = (found.value = await findWanted(wanted, until))
    if (printer) watch.value ??= watchPrinter([printer], printer.name, ended)
  } else if (wanted.layout) {
    const path = `/api/codes/layouts/${encodeURIComponent(wanted.layout)}`
    const { layout } = await ask('GET', path, { signal: until }).catch(() => before) // without it, it stays
    found.value = { ...before, layout }
  }
}

/** Look up a scan at once, and show its task in its turn. @type {(kiosk: Kiosk, code: string) => void} */
export function scan(kiosk, code) {
  const { signal: forgotten } = kiosk.forgetting
  kiosk.heard.value = { code, at: performance.now() }
  if (kiosk.found.peek()?.problem) return bad()
  // of a print without a response it is the same product, also before this scan has one
  const unsure = kiosk.unsure.find((task) => task.code === code)
  const look = async () => (await Promise.all([resolveScan(code, forgotten), find(kiosk, forgotten)]))[0]
  const looked = (unsure ? Promise.resolve(unsure.product) : look()).then(
    (product) => ({ product, error: null }),
    (error) => ({ product: null, error }),
  )
  const press = { label: text('cancel'), act: () => cancel(kiosk) }
  kiosk.pending += 1
  return take(kiosk, async () => {
    const task = taskOf(kiosk)
    clearTimeout(kiosk.timer)
    if (task) kiosk.screen.value = { kind: 'task', task, message: '', off: 'looking' }
    const late = setTimeout(() => {
      if (!forgotten.aborted) show(kiosk, { kind: 'says', title: code, line: text('scan.looking'), press })
    }, LATE)
    const { product, error } = await looked
    clearTimeout(late)
    if (forgotten.aborted) return
    kiosk.pending -= 1
    const replaced = [task, kiosk.last.peek()].flatMap((each) => (each && !each.sent ? [each] : []))
    if (product) await takeProduct(kiosk, product, code, replaced)
    else sayNotFound(kiosk, error, code, replaced)
  })
}

/** `replaced` are the task that the scan has taken off, and the one before that. @type {(kiosk: Kiosk, error: unknown, code: string, replaced: Task[]) => void} */
function sayNotFound(kiosk, error, code, replaced) {
  bad()
  const isUnknown = error instanceof Refusal && error.details.reason === 'no_product_matches'
  const title = isUnknown ? text('labels.unknown', { code }) : errorText(error)
  const last = replaced.find((task) => tasks.isWorthKeeping(task) || task.code === code) ?? null
  kiosk.last.value = last
  show(kiosk, { kind: 'says', title, tone: 'bad' }, last ? IDLE : UNKNOWN)
}

/** One more label, another task, or the same job again. @type {(kiosk: Kiosk, product: Product, code: string, replaced: Task[]) => Promise<void> | void} */
function takeProduct(kiosk, product, code, replaced) {
  const watch = kiosk.watch.peek()
  if (kiosk.found.peek()?.problem) return ready(kiosk)
  good()
  const unsure = kiosk.unsure.find((task) => task.product.id === product.id)
  const same = replaced[0]?.product.id === product.id ? replaced.shift() : null
  kiosk.last.value = replaced.find(tasks.isWorthKeeping) ?? null
  if (unsure) return printTask(kiosk, unsure)
  if (same) return showTask(kiosk, tasks.stepCopies(same, 1))
  const waiting = watch?.jobs.peek().filter((job) => !isOver(job) && job.products.join() === product.product_code)
  const count = needsOf(watch) && waiting?.reduce((sum, { labels }) => sum + labels, 0)
  const waits = count ? text('kiosk.held.already', { count, name: kiosk.wanted.printer }) : undefined
  return showTask(kiosk, tasks.beginTask(product, code), waits)
}

/** Go on with the task that the last scan has replaced. @param {Kiosk} kiosk */
export function undo(kiosk) {
  take(kiosk, () => {
    const last = kiosk.last.peek()
    if (!last) return
    kiosk.last.value = null
    showTask(kiosk, last)
  })
}

/** Change the task; return whether there is one. @type {(kiosk: Kiosk, act: (task: Task) => Task) => boolean} */
export function change(kiosk, act) {
  const task = taskOf(kiosk)
  if (task) showTask(kiosk, act(task))
  return task !== null
}

/** Set the copies by typed digits. @type {(kiosk: Kiosk, digits: string) => boolean} */
export function type(kiosk, digits) {
  if (!/^\d+$/.test(digits)) return false
  const typed = () => change(kiosk, (task) => tasks.typeDigits(task, digits))
  return kiosk.pending ? (take(kiosk, typed), true) : typed()
}

/** Take back the last typed digits, which were part of a code. @type {(kiosk: Kiosk, digits: string) => void} */
export function takeBack(kiosk, digits) {
  take(kiosk, () => change(kiosk, (task) => tasks.takeBackDigits(task, digits.length)))
}

/** @type {(kiosk: Kiosk, event: KeyboardEvent) => void} */
export function pressKey(kiosk, event) {
  const { key, repeat } = event
  expectInput(kiosk)
  const { kind } = kiosk.screen.peek()
  if (kind === 'start' && !kiosk.pending) return
  if (key === 'Escape') cancel(kiosk)
  else if (key === 'Backspace') take(kiosk, () => change(kiosk, tasks.eraseDigit))
  else if (key !== 'Enter' || document.activeElement?.closest(kind === 'task' ? 'button:not(.main)' : 'button')) return
  else if (!repeat) take(kiosk, () => enter(kiosk))
  event.preventDefault()
}

/** Print the task of a button that is pressed, after all before it; what is looked up then is not of it. @param {Kiosk} kiosk */
export function printNow(kiosk) {
  if (!kiosk.pending) take(kiosk, () => enter(kiosk))
}

/** Print the task, unless what was typed is no number of copies. @param {Kiosk} kiosk */
function enter(kiosk) {
  const task = taskOf(kiosk)
  if (!task || task.isRefused) return undefined
  if (!tasks.isTooMany(task)) return printTask(kiosk, task)
  bad()
  return showTask(kiosk, tasks.clearCopies(task), text('kiosk.too-many', { most: tasks.MOST_COPIES }))
}

/** @type {(kiosk: Kiosk, task: Task) => Promise<void>} */
async function printTask(kiosk, task) {
  const { symbology } = kiosk.wanted
  const [watch, found] = [kiosk.watch.peek(), kiosk.found.peek()]
  if (!found) return
  show(kiosk, { kind: 'task', task, message: '', off: 'printing' }) // what is scanned meanwhile waits
  const printer = watch?.printer.peek() ?? found.printer
  const sent = task.sent ?? { order: orderOf(symbology, { ...found, printer }, task), key: newKey() }
  forgetUnsure(kiosk, sent)
  try {
    const isShown = watch ? Boolean(await queue(sent.order, sent.key)) : await print(sent.order)
    void watch?.look()
    endTask(kiosk, task, isShown)
  } catch (error) {
    bad()
    const why = watch ? whyNotQueued(error, symbology) : whyNotPrinted(error, symbology)
    const isUnsure = task.sent !== null || (watch !== null && error instanceof Unreachable)
    // the scan takes the place of this task
    if (!isUnsure && kiosk.pending) announce(`${task.product.description}: ${why}`, 'bad')
    const failed = { ...task, sent: isUnsure ? sent : null }
    if (isUnsure) kiosk.unsure.push(failed)
    showTask(kiosk, failed, isUnsure && !(error instanceof Unreachable) ? `${why} ${text('printer.lost')}` : why)
  }
}

/** End a printed task; its document is not shown if the browser has not opened it by itself. @type {(kiosk: Kiosk, task: Task, isShown: boolean) => void} */
function endTask(kiosk, task, isShown) {
  const name = kiosk.wanted.printer
  const line = `${task.product.description} · ${text('labels.sum', { count: tasks.copiesOf(task) })}`
  kiosk.last.value = null
  if (!isShown) {
    const press = { isMain: true, label: text('labels.open'), act: () => endTask(kiosk, task, openPrinted()) }
    show(kiosk, { kind: 'says', title: line, press }, IDLE)
  } else if (needsOf(kiosk.watch.peek())) {
    show(kiosk, { kind: 'says', title: text('kiosk.held', { name }), line, icon: 'waiting' }, DONE)
  } else {
    const title = text(name ? 'kiosk.sent' : 'kiosk.done', { name })
    show(kiosk, { kind: 'says', title, line, icon: 'good', tone: 'good' }, DONE)
  }
}

/** Whether nothing is lost when the page is reloaded. @param {Kiosk} kiosk */
export function isIdle(kiosk) {
  const isSeen = !kiosk.last.peek() && !kiosk.unsure.length && !kiosk.watch.peek()?.unsettled.peek().length
  return isSeen && !taskOf(kiosk) && !kiosk.turns.isBusy
}
