/** The bookings of this device, newest first, each with its state and its actions. */

import { Refusal } from '../api.js'
import { bookings, opened } from '../bookings/sending.js'
import { element, fill, keyed } from '../dom.js'
import { amountOf, moment, number } from '../formats.js'
import { text } from '../language.js'
import { refusalText, whyUnreachable } from '../reasons.js'
import { recall } from '../resolve_scan.js'
import { settings } from '../settings.js'
import { symbol } from '../symbols.js'
import { createProduct } from './panel.js'

/** Settled bookings in the list; earlier ones are in the history of their products. */
const SHOWN = 50

/** @typedef {import('../bookings/booking.js').Booking} Booking */
/** @typedef {import('../bookings/queue.js').Queue} Queue */

/** How each state looks: its colours, and its sign for users who see no colours. */
const MARKS = { waiting: 'wait', booked: 'good', refused: 'bad', undone: '' }
const SIGNS = { waiting: 'waiting', booked: 'good', refused: 'bad', undone: 'undo' }

export class BookingList {
  /** @param {AbortSignal} signal */
  constructor(signal) {
    this.list = element('ol', { class: 'bookings', 'aria-label': text('bookings'), tabindex: '-1' })
    this.waiting = element('span', { class: 'mark wait', hidden: true })
    this.refusal = element('button', { type: 'button', class: 'mark bad', onclick: () => this.showRefused() })
    /** How many bookings were refused, for the first screen; leads to the list. */
    this.refusals = element('div', { hidden: true }, this.refusal)
    this.resting = element('p', { class: 'soft', hidden: true })
    this.again = element(
      'button',
      { type: 'button', hidden: true, onclick: () => this.retryAll() },
      text('bookings.retry'),
    )
    this.node = element(
      'section',
      { class: 'card bookings-side', hidden: true },
      element('div', { class: 'row apart' }, element('h2', null, text('bookings')), this.waiting, this.again),
      this.resting,
      this.list,
    )
    /** The listed bookings by their ids. @type {Map<number, Booking>} */
    this.bookings = new Map()
    this.isPaused = false
    void opened.then((open) => this.follow(open, signal))
  }

  /**
   * @param {import('../bookings/sending.js').Bookings} open
   * @param {AbortSignal} signal
   */
  async follow({ queue, storage }, signal) {
    if (signal.aborted) return
    for (const changed of ['change', 'elsewhere'])
      queue.addEventListener(changed, (event) => this.show(/** @type {CustomEvent} */ (event).detail), { signal })
    queue.addEventListener('pause', () => this.showPause(queue), { signal })
    this.showPause(queue)
    const kept = await storage.listed(SHOWN).catch(() => [])
    this.show(kept.filter(({ id }) => !this.bookings.has(id)))
  }

  /** @param {Booking[]} changed */
  show(changed) {
    for (const booking of changed) this.bookings.set(booking.id, booking)
    const newest = [...this.bookings.values()].sort((one, other) => other.id - one.id)
    newest
      .filter(isSettled)
      .slice(SHOWN)
      .forEach(({ id }) => this.bookings.delete(id))
    const listed = newest.filter(({ id }) => this.bookings.has(id))
    const news = new Set(changed.map(({ id }) => id))
    keyed(
      this.list,
      listed,
      ({ id }) => id,
      (booking, line) => (line && !news.has(booking.id) ? line : this.lineOf(booking, line)),
    )
    this.sum(listed)
    this.nameAll()
  }

  /** While the service cannot be reached, show what this device remembers of the waiting bookings. */
  nameAll() {
    if (!this.isPaused) return
    for (const node of this.list.querySelectorAll('[data-nameless]')) void showName(/** @type {HTMLElement} */ (node))
  }

  /** Bring the newest refused booking into sight, below what stays at the top of the view. */
  showRefused() {
    this.list.focus({ preventScroll: true })
    const line = this.list.querySelector('.refused')
    const top = this.refusals.parentElement
    if (!line || !top) return
    line.scrollIntoView()
    const [below, above] = [line.getBoundingClientRect(), top.getBoundingClientRect()]
    const isUnder = above.left < below.right && above.right > below.left && above.bottom > below.top
    if (isUnder) window.scrollBy(0, below.top - above.bottom)
  }

  /** @param {Booking[]} listed */
  sum(listed) {
    const refused = listed.filter(({ state }) => state === 'refused').length
    const unsettled = listed.filter(isUnsent).length
    this.node.hidden = listed.length === 0 && this.resting.hidden
    this.again.hidden = refused < 2
    this.refusals.hidden = refused === 0
    this.refusal.textContent = text('bookings.refused', { count: refused })
    this.waiting.hidden = unsettled === 0
    this.waiting.textContent = text('bookings.waiting', { count: unsettled })
  }

  /**
   * @param {Booking} booking
   * @param {Element | null} existing
   */
  lineOf(booking, existing) {
    const line = existing ?? element('li')
    const focused = line.contains(document.activeElement)
    line.className = `booking ${booking.state}`
    fill(line, ...partsOf(booking, this.actionsOf(booking)))
    if (focused) (line.querySelector('button') ?? this.list).focus()
    return line
  }

  /** @param {Booking} booking */
  actionsOf({ id, state, undoKey, problem }) {
    const offered = problem?.details?.new_product
    const retry = () => void bookings().then(({ queue }) => queue.retry(id))
    if (state === 'undone' || undoKey) return []
    if (state !== 'refused') return [action('booking.undo', 'undo', () => takeBack(id))]
    return [
      offered && action('scan.create', 'add', () => void createProduct(offered)),
      action('booking.retry', '', retry),
      action('booking.drop', '', () => takeBack(id)),
    ]
  }

  retryAll() {
    const refused = [...this.bookings.values()].filter(({ state }) => state === 'refused')
    void bookings().then(({ queue }) => queue.retryAll(refused.map(({ id }) => id)))
  }

  /** @param {Queue} queue */
  showPause({ paused, obstacle }) {
    this.isPaused = paused
    this.nameAll()
    this.resting.hidden = !paused
    this.node.hidden = this.bookings.size === 0 && !paused
    if (obstacle instanceof Refusal) this.resting.textContent = text('bookings.held', { why: refusalText(obstacle) })
    else fill(this.resting, whyUnsent(obstacle), !window.isSecureContext && ` ${text('offline.plain')}`)
  }
}

/** @param {Booking} booking */
function isUnsent({ state, undoKey }) {
  return state === 'waiting' || undoKey !== ''
}

/** Whether there is nothing left to do. @param {Booking} booking */
function isSettled(booking) {
  return !isUnsent(booking) && booking.state !== 'refused'
}

/** @param {Error | null} error */
function whyUnsent(error) {
  const usual = text('bookings.resting')
  return error ? whyUnreachable(error, usual) : usual
}

/**
 * @param {Booking} booking
 * @param {import('../dom.js').Child[]} actions
 */
function partsOf(booking, actions) {
  const { code, result, state, problem, undoKey, scannedAt, reason } = booking
  const known = result?.description ?? problem?.details?.description
  const mark = undoKey
    ? { colour: 'wait', sign: 'waiting', name: 'booking.undoing' }
    : { colour: MARKS[state], sign: SIGNS[state], name: `booking.${state}` }
  return [
    element('strong', { class: 'amount' }, amountOf(booking)),
    element(
      'div',
      { class: 'grow' },
      element('div', { class: 'code' }, element('bdi', null, result?.productCode ?? code)),
      known
        ? element('div', null, element('bdi', null, known))
        : state === 'waiting' && element('div', { 'data-nameless': code }),
      problem && element('div', { class: 'problem' }, refusalText(problem)),
      element(
        'div',
        { class: 'state' },
        element('span', { class: `mark ${mark.colour}` }, symbol(mark.sign), text(mark.name)),
        element(
          'span',
          { class: 'soft' },
          [scannedAt && moment(scannedAt), reason].filter(Boolean).join(' · '),
          result && state === 'booked' && ` · ${text('level')} ${number(result.newLevel)}`,
        ),
      ),
    ),
    element('div', { class: 'row' }, ...actions),
  ]
}

/**
 * Show the name of the product with the code of this line, or that the code is not checked.
 *
 * @param {HTMLElement} node
 */
async function showName(node) {
  const code = node.dataset['nameless'] ?? ''
  delete node.dataset['nameless']
  const known = await recall(code)
  fill(node, known ? element('bdi', null, known.description) : text('booking.unchecked'))
  node.classList.toggle('soft', !known)
}

/** @param {number} id of a booking */
export function takeBack(id) {
  void bookings().then(({ queue }) => queue.undo(id, settings().author))
}

/**
 * @param {string} name
 * @param {string} sign
 * @param {() => void} press
 */
function action(name, sign, press) {
  return element('button', { type: 'button', onclick: press }, sign && symbol(sign), text(name))
}
