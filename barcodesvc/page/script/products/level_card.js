/** The level of a product, and a form that takes out, puts in, or sets it. */

import { ask, Refusal } from '../api.js'
import { newKey } from '../bookings/booking.js'
import { element, fill } from '../dom.js'
import { number, signed } from '../formats.js'
import { text } from '../language.js'
import { announce, announceError } from '../notices.js'
import { wholeNumber } from '../typed_values.js'
import { authorName } from '../bookings/store.js'
import { errorText } from '../failure.js'
import { levelMark } from './cells.js'
import { ReasonChoice } from '../scan/reason_choice.js'

/** @typedef {{current_level: number, minimum_level: number, maximum_level: number}} Level */

/** The buttons: the mode, and its sign. @type {[string, string][]} */
const MODES = [
  ['take-out', '−'],
  ['put-in', '+'],
  ['set', '='],
]

/**
 * @param {string} path of the product in `/api/inventory/`
 * @param {() => void} booked called after the level has changed
 * @param {AbortSignal} signal
 */
export function levelCard(path, booked, signal) {
  /** @type {Level} */
  let level = { current_level: 0, minimum_level: 0, maximum_level: 0 }
  let unit = ''
  const figure = element('p', { class: 'figure', role: 'status' })
  const bounds = element('p', { class: 'soft bounds' })
  const form = levelForm((mode, amount, reason) => book(mode, amount, reason), signal)
  const node = element('section', { class: 'card product-level', 'aria-label': text('level'), hidden: true })
  fill(node, element('h2', null, text('level')), figure, bounds, form.node)

  /**
   * @param {Level} stored
   * @param {string} [itsUnit]
   */
  function show(stored, itsUnit = unit) {
    level = stored
    unit = itsUnit
    const { current_level, minimum_level, maximum_level } = level
    fill(
      figure,
      element('strong', null, number(current_level)),
      ' ',
      element('bdi', { class: 'soft' }, unit),
      levelMark(current_level, minimum_level),
    )
    const minimum = minimum_level && text('product.minimum', { level: number(minimum_level) })
    const maximum = maximum_level && text('product.maximum', { level: number(maximum_level) })
    fill(bounds, [minimum, maximum].filter(Boolean).join(' · ') || text('product.no-bounds'))
  }

  /** @param {number} current */
  function change(current) {
    show({ ...level, current_level: current })
  }

  /** What was sent last, and its key, until there is a response. */
  let attempt = { wanted: '', key: '' }

  /**
   * Book, and return what went wrong.
   *
   * @param {string} mode
   * @param {number} amount
   * @param {string} reason
   */
  async function book(mode, amount, reason) {
    const wanted = JSON.stringify([mode, amount, reason])
    if (wanted !== attempt.wanted) attempt = { wanted, key: newKey() }
    try {
      const { new_level } = await send(path, mode, amount, { reason, expected: level.current_level, key: attempt.key })
      attempt.wanted = ''
      change(new_level)
      announce(saysOf(mode, amount, new_level))
    } catch (error) {
      // without a response it may have been booked: the next press repeats it with its key
      if (error instanceof Refusal) attempt.wanted = ''
      const differs = error instanceof Refusal && error.details.reason === 'expected_level_differs'
      if (!differs) return errorText(error)
      change(error.details.current_level)
      announceError(errorText(error), node)
    }
    booked()
    return ''
  }

  return { node, show, change, level: () => level, isTyped: form.isTyped }
}

/**
 * @param {string} path
 * @param {string} mode
 * @param {number} amount
 * @param {{reason: string, expected: number, key: string}} why `expected` is the level on the screen
 */
function send(path, mode, amount, { reason, expected, key }) {
  const common = { change_reason: reason, updated_by: authorName() }
  if (mode === 'set') {
    return ask('PUT', `/api/inventory/${path}`, { body: { ...common, new_level: amount, expected_level: expected } })
  }
  const delta = mode === 'put-in' ? amount : -amount
  return ask('POST', `/api/inventory/${path}/adjust`, { body: { ...common, delta, idempotency_key: key } })
}

/**
 * @param {string} mode
 * @param {number} amount
 * @param {number} level
 */
function saysOf(mode, amount, level) {
  if (mode === 'set') return text('product.level-set', { level: number(level) })
  const change = signed(mode === 'put-in' ? amount : -amount)
  return text('product.level-changed', { change, level: number(level) })
}

/**
 * Return the form. Without an amount, minus and plus book one; only a typed one is set.
 *
 * @param {(mode: string, amount: number, reason: string) => Promise<string>} book returns what went wrong
 * @param {AbortSignal} signal
 */
function levelForm(book, signal) {
  const problem = element('p', { class: 'problem', role: 'alert' })
  const amount = element('input', {
    type: 'text',
    inputmode: 'numeric',
    autocomplete: 'off',
    maxlength: 20,
    placeholder: '1',
  })
  const reason = element('input', {
    type: 'text',
    autocomplete: 'off',
    maxlength: 200,
    oninput: () => reasons.update(),
  })
  const reasons = new ReasonChoice(typedInto(reason), signal)
  const buttons = MODES.map(([mode, sign]) =>
    element(
      'button',
      { type: 'button', 'data-mode': mode, onclick: () => void press(mode) },
      `${sign} ${text(`mode.${mode}`)}`,
    ),
  )

  /** @param {string} mode */
  async function press(mode) {
    const typed = amount.value.trim() === '' && mode !== 'set' ? 1 : wholeNumber(amount.value)
    if (typed === null || (typed === 0 && mode !== 'set')) {
      problem.textContent = text('whole-number')
      return amount.focus()
    }
    for (const button of buttons) button.disabled = true
    problem.textContent = await book(mode, typed, reason.value.trim())
    for (const button of buttons) button.disabled = false
    if (problem.textContent === '') amount.value = reason.value = ''
    reasons.update()
    buttons.find((button) => button.dataset['mode'] === mode)?.focus({ preventScroll: true })
  }

  const isTyped = () => amount.value.trim() !== '' || reason.value.trim() !== ''
  const node = element(
    'form',
    { class: 'level-form', onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
    element('label', null, text('product.amount'), amount),
    element('label', null, text('product.reason'), reason),
    reasons.node,
    element('div', { class: 'row level-modes' }, ...buttons),
    problem,
  )
  return { node, isTyped }
}

/** Return the reason of a booking, which is what the field contains. @param {HTMLInputElement} field */
function typedInto(field) {
  return {
    takesAmount: true,
    get reason() {
      return field.value.trim()
    },
    set reason(chosen) {
      field.value = chosen
    },
  }
}
