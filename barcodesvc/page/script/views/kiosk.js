/**
 * One task for one screen: scan, copies, print, done. `#kiosk?sheet=L7160` names the sheet, and may name the symbology;
 * anything else comes from this device's settings.
 *
 * Rule: one action on the screen, at most three controls, no links. Only the address bar leaves it: the button, key or
 * gesture for "back" stays here. A stray scan does not discard a task whose copies a person has counted: a code without a
 * product leaves it alone, and another product replaces it only when it is scanned twice in a row.
 */

import { ask, Refusal } from '../api.js'
import { element, fill } from '../dom.js'
import { number } from '../formats.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { reasonOf } from '../parts/failure.js'
import { BEST } from '../parts/symbology_choice.js'
import { stepButton } from '../parts/step_button.js'
import { openPrinted, print, whyNotPrinted } from '../printing.js'
import { resolveScan } from '../resolve_scan.js'
import { settings } from '../settings.js'
import { normalName, sheetNamed } from '../sheets.js'
import { bad, good } from '../sounds.js'

/**
 * What will be printed; `instead` is the product that replaces it when scanned once more.
 *
 * @typedef {{product: any, copies: number, instead: number | null, more: (by: number) => void, say: (message: string) => void}} Task
 */

/** Copies that a kiosk prints at most. */
const MOST = 500

/** Milliseconds that `done`, and the message of an unknown code, stay on the screen. */
const DONE = 2500
const UNKNOWN = 5000

/**
 * @param {import('../router.js').Way} way
 * @returns {import('../router.js').View}
 */
export function open({ query }) {
  const sheet = query.get('sheet') ?? settings().sheet
  const symbology = query.get('symbology') ?? settings().symbology
  const ended = new AbortController()
  const node = element('section', { class: 'kiosk', 'aria-live': 'polite' })
  /** Whether the address names an unknown sheet or symbology. */
  let wrong = false
  /** @type {Task | null} */
  let task = null
  /** The number of the last action: a response to an earlier one no longer changes the screen. */
  let turn = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let next

  /**
   * @param {'' | 'good' | 'bad'} state
   * @param {...import('../dom.js').Child} children
   */
  function show(state, ...children) {
    clearTimeout(next)
    task = null
    node.dataset['state'] = state
    fill(node, ...children)
  }

  function ready() {
    show('', element('h1', null, text('kiosk.scan')))
  }

  async function check() {
    const asked = { signal: ended.signal }
    const [sheets, formats] = await Promise.all([
      ask('GET', '/api/codes/sheets', asked),
      ask('GET', '/api/codes/formats', asked),
    ])
    const names = formats.flatMap((/** @type {any} */ { format, aliases }) =>
      [format, ...aliases, BEST].map(normalName),
    )
    const problem = !sheetNamed(sheets, sheet)
      ? text('kiosk.sheet.wrong', { sheet })
      : !names.includes(normalName(symbology)) && text('kiosk.symbology.wrong', { symbology })
    if (!problem) return
    const known = sheets.map((/** @type {any} */ each) => each.sheet).join(' · ')
    wrong = true
    show(
      'bad',
      element('h1', null, element('bdi', null, problem)),
      element('p', null, text('kiosk.address')),
      element('p', { class: 'soft' }, known),
    )
  }

  /** @param {string} code */
  async function scan(code) {
    if (wrong) return bad()
    const mine = ++turn
    try {
      const product = await resolveScan(code, ended.signal)
      if (mine === turn) found(product)
    } catch (error) {
      if (mine !== turn || ended.signal.aborted) return
      bad()
      const isUnknown = error instanceof Refusal && error.details.reason === 'no_product_matches'
      const reason = isUnknown ? text('labels.unknown', { code }) : reasonOf(error)
      if (task) return task.say(reason)
      show('bad', element('h1', null, element('bdi', null, reason)))
      next = setTimeout(ready, UNKNOWN)
    }
  }

  /** @param {any} product */
  function found(product) {
    if (task && task.product.id === product.id) {
      good()
      return task.more(1)
    }
    if (task && task.copies > 1 && task.instead !== product.id) {
      bad()
      task.say(text('kiosk.instead', { product: product.description }))
      task.instead = product.id
      return
    }
    good()
    begin(product)
  }

  /** @param {any} product */
  function begin(product) {
    const mine = { product, copies: 1, instead: null, more, say }
    const amount = element('output', null, number(1))
    const problem = element('p', { class: 'problem', role: 'alert' })
    const button = element(
      'button',
      { type: 'button', class: 'main', onclick: () => void printTask() },
      text('labels.print'),
    )
    show(
      '',
      element('h1', { class: 'short' }, element('bdi', null, product.description)),
      element('p', { class: 'code' }, element('bdi', null, product.product_code)),
      element(
        'div',
        { class: 'copies' },
        stepButton(text('labels.fewer'), '−', () => more(-1)),
        amount,
        stepButton(text('labels.more'), '+', () => more(1)),
      ),
      problem,
      button,
    )
    task = mine
    button.focus()

    /** @param {number} by */
    function more(by) {
      mine.copies = Math.min(MOST, Math.max(1, mine.copies + by))
      amount.textContent = number(mine.copies)
      say('')
    }

    /** @param {string} message */
    function say(message) {
      mine.instead = null
      problem.textContent = message
    }

    async function printTask() {
      const printed = ++turn
      const products = [{ code: product.product_code, copies: mine.copies }]
      const order = { products, symbology, sheet, lines: { include_description: true } }
      task = null // a scan that comes meanwhile is another task
      button.disabled = true
      button.textContent = text('kiosk.printing')
      try {
        const shown = await print(order)
        if (printed === turn) done(shown)
      } catch (error) {
        bad()
        if (printed !== turn) return announce(whyNotPrinted(error, order), 'bad')
        task = mine
        problem.textContent = whyNotPrinted(error, order)
        button.textContent = text('labels.print')
        button.disabled = false
      }
    }
  }

  /** @param {boolean} shown whether the browser has opened the document automatically */
  function done(shown) {
    if (!shown)
      return show(
        '',
        element('button', { type: 'button', class: 'main', onclick: () => done(openPrinted()) }, text('labels.open')),
      )
    show('good', element('h1', null, text('kiosk.done')))
    next = setTimeout(ready, DONE)
  }

  ready()
  stay(ended.signal)
  void check().catch(() => undefined) // the service says the same when it prints
  return {
    node,
    title: text('kiosk.title'),
    scan: (code) => void scan(code),
    isIdle: () => task === null,
    close: () => {
      clearTimeout(next)
      ended.abort()
    },
  }
}

/** @param {AbortSignal} signal */
function stay(signal) {
  const again = () => history.pushState(null, '', location.href)
  again()
  window.addEventListener('popstate', again, { signal })
}
