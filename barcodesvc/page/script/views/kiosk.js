/**
 * One task for one screen: scan, copies, print, done. `#kiosk?sheet=L7160` names the sheet, and may name the symbology;
 * what it does not name is this device's setting.
 *
 * Rule: one action on the screen, at most three controls, no links. Leaving it takes the address bar: the button, key
 * or gesture for "back" stays here, and so does a file that is dropped on it.
 */

import { ask } from '../api.js'
import { element, fill } from '../dom.js'
import { number } from '../formats.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { reasonOf } from '../parts/failure.js'
import { stepButton } from '../parts/step_button.js'
import { openPrinted, print, whyNotPrinted } from '../printing.js'
import { settings } from '../settings.js'
import { sheetNamed } from '../sheets.js'
import { bad, good } from '../sounds.js'

/** Copies that a kiosk prints at most. */
const MOST = 500

/** Milliseconds that `done`, and a scan that found nothing, stand there. */
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
  /** Whether the address names what the service does not know. */
  let wrong = false
  /** What will be printed. @type {{product: any, copies: number, more: (by: number) => void} | null} */
  let task = null
  /** What is done last: an answer to what came before it changes the screen no more. */
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

  /** @param {string} message */
  function refuse(message) {
    bad()
    show('bad', element('h1', null, message))
  }

  async function check() {
    const asked = { signal: ended.signal }
    const [sheets, formats] = await Promise.all([
      ask('GET', '/api/codes/sheets', asked),
      ask('GET', '/api/codes/formats', asked),
    ])
    const names = formats.flatMap((/** @type {any} */ { format, aliases }) => [format, ...aliases].map(plain))
    const problem = !sheetNamed(sheets, sheet)
      ? text('kiosk.sheet.wrong', { sheet })
      : !names.includes(plain(symbology)) && text('kiosk.symbology.wrong', { symbology })
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
      const { product } = await ask('POST', '/api/codes/decode', { body: { code_data: code }, signal: ended.signal })
      if (mine !== turn) return
      good()
      if (task && task.product.id === product.id) task.more(1)
      else begin(product)
    } catch (error) {
      if (mine !== turn || ended.signal.aborted) return
      refuse(reasonOf(error))
      next = setTimeout(ready, UNKNOWN)
    }
  }

  /** @param {any} product */
  function begin(product) {
    const mine = { product, copies: 1, more }
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
    }

    async function printTask() {
      const printed = ++turn
      const products = [{ code: product.product_code, copies: mine.copies }]
      task = null // a scan that comes meanwhile is another task
      button.disabled = true
      button.textContent = text('kiosk.printing')
      try {
        const shown = await print({ products, symbology, sheet, lines: { include_description: true } })
        if (printed === turn) done(shown)
      } catch (error) {
        bad()
        if (printed !== turn) return announce(whyNotPrinted(error, products), 'bad')
        task = mine
        problem.textContent = whyNotPrinted(error, products)
        button.textContent = text('labels.print')
        button.disabled = false
      }
    }
  }

  /** @param {boolean} shown whether the browser has opened the document by itself */
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
    close: () => {
      clearTimeout(next)
      ended.abort()
    },
  }
}

/** @param {string} name names are compared as the service compares them */
function plain(name) {
  return name.toLowerCase().replace(/[-_\s]/g, '')
}

/** @param {AbortSignal} signal */
function stay(signal) {
  const again = () => history.pushState(null, '', location.href)
  const kept = (/** @type {Event} */ event) => event.preventDefault()
  again()
  window.addEventListener('popstate', again, { signal })
  window.addEventListener('dragover', kept, { signal })
  window.addEventListener('drop', kept, { signal })
}
