/**
 * One task for one screen: scan, copies, print, done. `#kiosk?sheet=L7160` names the sheet, and may name the symbology.
 *
 * Rule: one action on the screen, at most three controls, no links. Leaving it takes the address bar.
 */

import { ask, Unreachable } from '../api.js'
import { element, fill } from '../dom.js'
import { number } from '../formats.js'
import { text } from '../language.js'
import { print } from '../printing.js'
import { settings } from '../settings.js'
import { bad, good } from '../sounds.js'

/** Copies that a kiosk prints at most. */
const MOST = 500

/** Milliseconds that `done` stands there. */
const DONE = 2500

/**
 * @param {import('../router.js').Way} way
 * @returns {import('../router.js').View}
 */
export function open({ query }) {
  const sheet = query.get('sheet') ?? settings().sheet
  const symbology = query.get('symbology') ?? settings().symbology
  const node = element('section', { class: 'kiosk', 'aria-live': 'polite' })
  /** @type {{product: any, copies: number} | null} */
  let task = null
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let next

  /**
   * @param {string} message
   * @param {'' | 'good' | 'bad'} [state]
   */
  function say(message, state = '') {
    clearTimeout(next)
    node.dataset['state'] = state
    fill(node, element('h1', null, message))
  }

  function ready() {
    task = null
    say(text('kiosk.scan'))
  }

  /** @param {string} code */
  async function scan(code) {
    try {
      const { product } = await ask('POST', '/api/codes/decode', { body: { code_data: code } })
      good()
      task = { product, copies: task && task.product.id === product.id ? Math.min(MOST, task.copies + 1) : 1 }
      show()
    } catch (error) {
      bad()
      task = null
      say(text(error instanceof Unreachable ? 'unreachable' : 'scan.unknown'), 'bad')
      next = setTimeout(ready, DONE * 2)
    }
  }

  function show() {
    if (!task) return
    const { product, copies } = task
    clearTimeout(next)
    node.dataset['state'] = ''
    fill(
      node,
      element('h1', null, element('bdi', null, product.description)),
      element('p', { class: 'code' }, element('bdi', null, product.product_code)),
      element(
        'div',
        { class: 'copies' },
        element('button', { type: 'button', 'aria-label': text('labels.fewer'), onclick: () => step(-1) }, '−'),
        element('output', null, number(copies)),
        element('button', { type: 'button', 'aria-label': text('labels.more'), onclick: () => step(1) }, '+'),
      ),
      element('button', { type: 'button', class: 'main', onclick: () => void printTask() }, text('labels.print')),
    )
  }

  /** @param {number} by */
  function step(by) {
    if (!task) return
    task.copies = Math.min(MOST, Math.max(1, task.copies + by))
    show()
  }

  async function printTask() {
    if (!task) return
    const { product, copies } = task
    say(text('kiosk.printing'))
    try {
      const lines = { include_description: true }
      await print({ products: [{ code: product.product_code, copies }], symbology, sheet, lines })
      task = null
      say(text('kiosk.done'), 'good')
      next = setTimeout(ready, DONE)
    } catch (error) {
      bad()
      say(error instanceof Unreachable ? text('unreachable') : /** @type {Error} */ (error).message, 'bad')
      next = setTimeout(ready, DONE * 4)
    }
  }

  ready()
  return { node, title: text('kiosk.title'), scan: (code) => void scan(code), close: () => clearTimeout(next) }
}
