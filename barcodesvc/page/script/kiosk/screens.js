/** The screens of the kiosk, and their controls. */

import { element, fill } from '../dom.js'
import { number } from '../formats.js'
import { text } from '../language.js'
import { keypad } from '../keypad.js'
import { labelPreview } from '../labels/preview.js'
import { stepButton } from '../step_button.js'
import { symbol } from '../symbols.js'
import { symbolPicture } from '../labels/symbol_picture.js'

/** Characters of a description within a sentence. */
const LONGEST = 32

/** Milliseconds that a scanned code is shown. */
const HEARD = 2500

/** Return a description as it fits a sentence next to the task. @param {string} description */
export function shortened(description) {
  const characters = [...description]
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST).join('').trim()} …` : description
}

/**
 * @param {string} message
 * @param {...import('../dom.js').Child} children
 */
export function messageScreen(message, ...children) {
  return element('div', { class: 'screen' }, element('h1', null, element('bdi', null, message)), ...children)
}

/**
 * What is said of a task that is over, and which one it was.
 *
 * @param {string} message
 * @param {string} task
 */
export function endScreen(message, task) {
  return messageScreen(message, element('p', { class: 'short' }, element('bdi', null, task)))
}

/**
 * A scanned code whose product is not known yet.
 *
 * @param {string} code
 * @param {() => void} cancel
 */
export function lookingScreen(code, cancel) {
  const cancelling = element('button', { type: 'button', onclick: cancel }, text('cancel'))
  const node = messageScreen(code, element('p', null, text('scan.looking')), cancelling)
  node.classList.add('looking')
  return node
}

/** @param {() => void} open */
export function openingScreen(open) {
  const button = element('button', { type: 'button', class: 'main', onclick: open }, text('labels.open'))
  return element('div', { class: 'screen' }, button)
}

/**
 * The label as it will be printed, in large, and its copies. A code that the symbology cannot encode has no copies.
 *
 * @param {import('./task.js').KioskTask} task
 * @param {object} options
 * @param {string} options.symbology
 * @param {boolean} options.hasText whether the symbol itself shows the code
 * @param {{order: import('../labels/printing.js').Order, signal: AbortSignal} | undefined} options.preview shows the label of
 *   an order instead of the symbol
 * @param {(digit: string) => void} options.type
 * @param {() => void} options.print
 * @param {() => void} options.cancel
 */
export function taskScreen(task, { symbology, hasText, preview, type, print, cancel }) {
  const { product_code, description } = task.product
  const amount = element('output', null, number(1))
  const problem = element('p', { class: 'problem', role: 'alert' })
  const button = element('button', { type: 'button', class: 'main', onclick: print }, text('labels.print'))
  const cancelling = element('button', { type: 'button', onclick: cancel }, text('cancel'))
  const copies = element(
    'div',
    { class: 'copies' },
    stepButton(text('labels.fewer'), '−', () => step(-1)),
    amount,
    stepButton(text('labels.more'), '+', () => step(1)),
  )
  const pad = keypad({
    digit: type,
    clear: () => (task.clear(), show()),
    erase: () => (task.erase(), show()),
  })
  pad.addEventListener('mousedown', (event) => event.preventDefault()) // the focus stays at the button that prints
  const refused = () => {
    copies.hidden = pad.hidden = button.hidden = true
    cancelling.focus()
  }
  const picture = preview ? previewOf(preview, refused) : symbolOf(product_code, symbology, refused)
  const label = labelOf(picture, hasText || preview ? '' : product_code, description)
  const controls = element('div', { class: 'controls' }, copies, pad, problem, button, cancelling)

  /** @param {number} by */
  function step(by) {
    task.step(by)
    show()
  }

  /** @param {string} [message] */
  function show(message = '') {
    amount.textContent = number(task.copies)
    problem.textContent = message
    // it stays as it is, so that it is printed again as the same job
    if (task.isUnsure) for (const each of [pad, ...copies.querySelectorAll('button')]) each.hidden = true
    if (!task.isLeft && document.activeElement === document.body) button.focus()
  }

  const node = element('div', { class: 'screen task' }, label, controls)
  return {
    node,
    show,
    focus: () => button.focus(),
    /** Take the task off while another code is looked up: neither a key nor a touch prints it. @param {boolean} isOff */
    takeOff(isOff) {
      node.inert = isOff
      button.blur() // a browser may leave the focus where it is
    },
    /** @param {boolean} isPrinting */
    setPrinting(isPrinting) {
      button.disabled = cancelling.disabled = isPrinting
      button.textContent = text(isPrinting ? 'kiosk.printing' : 'labels.print')
      button.blur()
    },
  }
}

/**
 * @param {HTMLElement} picture
 * @param {string} code empty if the picture shows it
 * @param {string} description
 */
function labelOf(picture, code, description) {
  return element(
    'div',
    { class: 'label' },
    picture,
    code && element('p', { class: 'code' }, element('bdi', null, code)),
    element('h1', { class: 'short' }, element('bdi', null, description)),
  )
}

/**
 * @param {string} code
 * @param {string} symbology
 * @param {() => void} refused
 */
function symbolOf(code, symbology, refused) {
  const picture = symbolPicture(code, { loading: 'eager', refused })
  picture.show(symbology)
  return picture.node
}

/**
 * @param {{order: import('../labels/printing.js').Order, signal: AbortSignal}} preview
 * @param {() => void} refused
 */
function previewOf({ order, signal }, refused) {
  const preview = labelPreview(signal, { pause: 0, refused })
  preview.show(order, 1)
  return preview.node
}

/** Return a mark that shows for a moment what the scanner sent. Screen readers read the result instead. */
export function heardMark() {
  const node = element('p', { class: 'heard', 'aria-hidden': 'true' })
  return {
    node,
    /** @param {string} code */
    flash(code) {
      fill(node, symbol('scan'), element('bdi', { class: 'code' }, code))
      for (const animation of node.getAnimations()) animation.cancel()
      node.animate({ opacity: [1, 1, 0], offset: [0, 0.8, 1] }, HEARD)
    },
  }
}
