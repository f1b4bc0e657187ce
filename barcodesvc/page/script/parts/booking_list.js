/** The bookings of this device, newest first, each with its state and its actions. */

import { Refusal } from '../api.js'
import { bookings, opened } from '../bookings/sending.js'
import { element, fill } from '../dom.js'
import { amountOf, moment, number } from '../formats.js'
import { text } from '../language.js'
import { reasonOf, whyUnreachable } from '../reasons.js'
import { recall } from '../resolve_scan.js'
import { symbol } from '../symbols.js'
import { createProduct } from './product_panel.js'

/** Settled bookings in the list; earlier ones are in the history of their products. */
const SHOWN = 50

/** @typedef {import('../bookings/booking.js').Booking} Booking */

/** How each state looks: its colours, and its sign for users who see no colours. */
const MARKS = { waiting: 'wait', booked: 'good', refused: 'bad', undone: '' }
const SIGNS = { waiting: 'waiting', booked: 'good', refused: 'bad', undone: 'undo' }

/** @param {Error | null} error */
function whyUnsent(error) {
  const usual = text('bookings.resting')
  return error ? whyUnreachable(error, usual) : usual
}

/** @param {AbortSignal} signal */
export function bookingList(signal) {
  const list = element('ol', { class: 'bookings', 'aria-label': text('bookings'), tabindex: '-1' })
  const waiting = element('span', { class: 'mark wait', role: 'status', hidden: true })
  const refusal = element('button', { type: 'button', class: 'mark bad', onclick: () => list.focus() })
  const refusals = element('div', { role: 'status', hidden: true }, refusal)
  const resting = element('p', { class: 'soft', hidden: true })
  const again = element('button', { type: 'button', hidden: true, onclick: retryAll }, text('bookings.retry'))
  /** @type {Map<number, HTMLLIElement>} */
  const lines = new Map()
  /** @type {Set<number>} */
  const unsettled = new Set()
  /** @type {Set<number>} */
  const refused = new Set()
  /** Bookings with nothing left to do, oldest first. @type {Set<number>} */
  const settled = new Set()
  /** Waiting bookings without a name: their codes, and where the name goes. @type {Map<HTMLElement, string>} */
  const unnamed = new Map()
  let isPaused = false

  /** @param {Booking[]} changed */
  function show(changed) {
    changed.forEach(showOne)
    for (const id of [...settled].slice(0, Math.max(0, settled.size - SHOWN))) forget(id)
    again.hidden = refused.size < 2
    refusals.hidden = refused.size === 0
    refusal.textContent = text('bookings.refused', { count: refused.size })
    waiting.hidden = unsettled.size === 0
    waiting.textContent = text('bookings.waiting', { count: unsettled.size })
    nameAll()
  }

  /** While the service cannot be reached, show what this device remembers of the waiting bookings. */
  function nameAll() {
    if (!isPaused) return
    for (const [node, code] of unnamed) void showName(node, code)
    unnamed.clear()
  }

  /** @param {Booking} booking */
  function showOne(booking) {
    const { id, state, undoKey } = booking
    const waits = state === 'waiting' || undoKey !== ''
    if (waits) unsettled.add(id)
    else unsettled.delete(id)
    if (state === 'refused') refused.add(id)
    else refused.delete(id)
    if (waits || state === 'refused') settled.delete(id)
    else settled.add(id)
    const before = lines.get(id)
    const line = element('li', { class: `booking ${state}` }, ...parts(booking))
    lines.set(id, line)
    if (!before) return list.prepend(line)
    const focused = before.contains(document.activeElement)
    before.replaceWith(line)
    if (focused) (line.querySelector('button') ?? list).focus()
  }

  /** @param {number} id */
  function forget(id) {
    lines.get(id)?.remove()
    lines.delete(id)
    settled.delete(id)
  }

  /**
   * @param {Booking} booking
   * @param {'undo' | 'retry'} what
   */
  function act(booking, what) {
    void bookings().then(({ queue }) => queue[what](booking.id))
  }

  function retryAll() {
    void bookings().then(({ queue }) => queue.retryAll([...refused]))
  }

  /** @param {Booking} booking */
  function parts(booking) {
    const { result, state, problem, undoKey } = booking
    return [
      element('strong', { class: 'amount' }, amountOf(booking)),
      element(
        'div',
        { class: 'grow' },
        element('div', { class: 'code' }, element('bdi', null, result?.productCode ?? booking.code)),
        result
          ? element('div', null, element('bdi', null, result.description))
          : state === 'waiting' && nameless(booking),
        problem && element('div', { class: 'problem' }, reasonOf(problem)),
        element(
          'div',
          { class: 'state' },
          element(
            'span',
            { class: `mark ${undoKey ? 'wait' : MARKS[state]}` },
            symbol(undoKey ? 'waiting' : SIGNS[state]),
            text(undoKey ? 'booking.undoing' : `booking.${state}`),
          ),
          element(
            'span',
            { class: 'soft' },
            booking.scannedAt && moment(booking.scannedAt),
            result && state === 'booked' && ` · ${text('level')} ${number(result.newLevel)}`,
          ),
        ),
      ),
      element('div', { class: 'row' }, ...actions(booking)),
    ]
  }

  /** @param {Booking} booking */
  function nameless({ code }) {
    const node = element('div')
    unnamed.set(node, code)
    return node
  }

  /** @param {Booking} booking */
  function actions(booking) {
    const { state, undoKey, problem } = booking
    const offered = problem?.details?.new_product
    const create = () => void createProduct(offered)
    if (state === 'undone' || undoKey) return []
    if (state !== 'refused') return [action('booking.undo', 'undo', () => act(booking, 'undo'))]
    return [
      offered && action('scan.create', 'add', create),
      action('booking.retry', '', () => act(booking, 'retry')),
      action('booking.drop', '', () => act(booking, 'undo')),
    ]
  }

  /** @param {import('../bookings/queue.js').Queue} queue */
  function showPause({ paused, obstacle }) {
    isPaused = paused
    nameAll()
    resting.hidden = !paused
    if (obstacle instanceof Refusal) resting.textContent = text('bookings.held', { why: reasonOf(obstacle) })
    else fill(resting, whyUnsent(obstacle), !window.isSecureContext && ` ${text('offline.plain')}`)
  }

  void opened.then(async ({ queue, storage }) => {
    if (signal.aborted) return
    for (const changed of ['change', 'elsewhere'])
      queue.addEventListener(changed, (event) => show(/** @type {CustomEvent} */ (event).detail), { signal })
    queue.addEventListener('pause', () => showPause(queue), { signal })
    showPause(queue)
    const kept = await storage.listed(SHOWN).catch(() => [])
    show(kept.filter(({ id }) => !lines.has(id)).reverse())
    list.append(...[...lines].sort(([one], [other]) => other - one).map(([, line]) => line))
  })

  return {
    /** How many bookings were refused, for the first screen; leads to the list. */
    refusals,
    node: element(
      'section',
      { class: 'card' },
      element('div', { class: 'row apart' }, element('h2', null, text('bookings')), waiting, again),
      resting,
      list,
    ),
  }
}

/**
 * Show the name of the product with this code, or that the code is not checked.
 *
 * @param {HTMLElement} node
 * @param {string} code
 */
async function showName(node, code) {
  const known = await recall(code)
  fill(node, known ? element('bdi', null, known.description) : text('booking.unchecked'))
  node.classList.toggle('soft', !known)
}

/**
 * @param {string} name
 * @param {string} sign
 * @param {() => void} press
 */
function action(name, sign, press) {
  return element('button', { type: 'button', onclick: press }, sign && symbol(sign), text(name))
}
