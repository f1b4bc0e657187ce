/** The bookings of this device, the newest first, each with its state and what can be done with it. */

import { bookings } from '../bookings/sending.js'
import { element } from '../dom.js'
import { moment, number, signed } from '../formats.js'
import { text } from '../language.js'
import { symbol } from '../symbols.js'
import { newProduct } from './product_form.js'

/** Bookings in the list; those before them stay in the history of their products. */
const SHOWN = 50

/** @typedef {import('../bookings/booking.js').Booking} Booking */

/**
 * @param {AbortSignal} signal
 */
export function bookingList(signal) {
  const list = element('ol', { class: 'bookings', 'aria-label': text('bookings') })
  const waiting = element('p', { class: 'mark wait', role: 'status', hidden: true })
  /** @type {Map<number, HTMLLIElement>} */
  const lines = new Map()
  /** @type {Set<number>} */
  const unsettled = new Set()

  /** @param {Booking} booking */
  function show(booking) {
    if (booking.state === 'waiting' || booking.undoKey) unsettled.add(booking.id)
    else unsettled.delete(booking.id)
    waiting.hidden = unsettled.size === 0
    waiting.textContent = text('bookings.waiting', { count: unsettled.size })
    const before = lines.get(booking.id)
    const line = element('li', { class: `booking ${booking.state}` }, ...parts(booking))
    lines.set(booking.id, line)
    if (before) before.replaceWith(line)
    else list.prepend(line)
    if (list.children.length > SHOWN) list.lastElementChild?.remove()
  }

  /**
   * @param {Booking} booking
   * @param {'undo' | 'retry'} what
   */
  function act(booking, what) {
    void bookings().then(({ queue }) => queue[what](booking.id))
  }

  /** @param {Booking} booking */
  function parts(booking) {
    const offered = booking.problem?.details?.new_product
    const { result, state } = booking
    const undoable = state !== 'undone' && !booking.undoKey
    return [
      element(
        'strong',
        { class: 'amount' },
        booking.level === null ? signed(booking.delta ?? 0) : `= ${number(booking.level)}`,
      ),
      element(
        'div',
        { class: 'grow' },
        element('div', { class: 'code' }, element('bdi', null, result?.productCode ?? booking.code)),
        result && element('div', null, element('bdi', null, result.description)),
        booking.problem && element('div', { class: 'problem' }, booking.problem.message),
        element(
          'div',
          { class: 'soft' },
          moment(booking.scannedAt),
          result && state === 'booked' && ` · ${text('level')} ${number(result.newLevel)}`,
        ),
      ),
      element(
        'span',
        { class: `mark ${MARKS[state]}` },
        text(booking.undoKey ? 'booking.undoing' : `booking.${state}`),
      ),
      state === 'refused' &&
        offered &&
        element(
          'button',
          { type: 'button', onclick: () => newProduct(offered, () => act(booking, 'retry')) },
          text('scan.create'),
        ),
      state === 'refused' &&
        element('button', { type: 'button', onclick: () => act(booking, 'retry') }, text('booking.retry')),
      undoable &&
        element(
          'button',
          { type: 'button', onclick: () => act(booking, 'undo') },
          symbol('undo'),
          text(state === 'refused' ? 'booking.drop' : 'booking.undo'),
        ),
    ]
  }

  void bookings().then(async ({ queue, storage }) => {
    if (signal.aborted) return
    for (const booking of (await storage.last(SHOWN)).reverse()) show(booking)
    queue.addEventListener('change', (event) => show(/** @type {CustomEvent} */ (event).detail), { signal })
  })

  return {
    node: element(
      'section',
      { class: 'card' },
      element('div', { class: 'row apart' }, element('h2', null, text('bookings')), waiting),
      list,
    ),
  }
}

const MARKS = { waiting: 'wait', booked: 'good', refused: 'bad', undone: '' }
