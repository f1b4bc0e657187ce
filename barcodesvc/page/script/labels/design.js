/** How labels look: a saved layout or a new one, its sheet and its text, and the labels as they will be printed. */

import { element } from '../dom.js'
import { changedLayout, NEW, sheetOf } from './layout.js'
import { text } from '../language.js'
import { PrinterChoice } from '../printers/choice.js'
import { orderFor } from '../printers/jobs.js'
import { draw, html } from '../ui.js'
import { capacity, UNNAMED } from './sheets.js'
import { freeLabel } from './free_label.js'
import { labelLines } from './lines.js'
import { labelPreview } from './preview.js'
import { LayoutChoice } from './layout_choice.js'

/** Labels that are drawn at most of a page whose number of labels only the service knows. */
const MOST_DRAWN = 100

/** @typedef {import('./printing.js').Order} Order */

/**
 * @param {import('./sheets.js').Sheet[]} sheets that the service knows by name
 * @param {import('./layout.js').SavedLayout[]} saved
 * @param {import('../printers/choice.js').Watch} watch
 * @param {() => void} changed
 * @param {AbortSignal} signal
 */
export function labelDesign(sheets, saved, watch, changed, signal) {
  const place = freeLabel(sheets, changed)
  const lines = labelLines(changed)
  const preview = labelPreview(signal, { refused: changed })
  const choice = new LayoutChoice(
    saved,
    (chosen) => (follow(chosen), changed()),
    () => (place.sheet() ? layout() : null),
  )
  place.node.prepend(draw(html`<${PrinterChoice} watch=${watch} />`).node, choice.node)
  const words = element('section', { class: 'card words' }, lines.node)
  const picture = element(
    'section',
    { class: 'card picture' },
    element('h2', null, text('labels.preview')),
    preview.node,
  )

  /** @param {import('./layout.js').Layout | null} chosen */
  function follow(chosen) {
    place.follow(chosen && sheetOf(chosen))
    lines.show(chosen ?? NEW)
  }

  /** Return the layout of the page. A saved one keeps its sheet, whatever is in the printer. */
  function layout() {
    const known = choice.saved()
    const sheet = known && watch.printer.value ? '' : (place.sheet()?.sheet ?? '')
    return changedLayout(known ?? {}, sheet, lines.wanted())
  }

  /**
   * Return an order of products, or null while a field is wrong.
   *
   * @param {Pick<Order, 'products' | 'symbology'>} products
   * @returns {Order | null}
   */
  function order(products) {
    const sheet = place.sheet()
    const printer = watch.printer.value
    const wanted = sheet && { ...products, sheet: sheet.sheet, first: place.first(), layout: layout() }
    return wanted && printer ? orderFor(wanted, printer) : wanted
  }

  /** Whether the labels are on a roll. */
  function isRoll() {
    const sheet = place.sheet()
    return sheet !== null && capacity(sheet) === 1
  }

  follow(choice.saved())
  return {
    nodes: [place.node, words, picture],
    sheet: place.sheet,
    first: place.first,
    order,
    isRefused: preview.isRefused,
    isRoll,
    /**
     * @param {Pick<Order, 'products' | 'symbology'>} products
     * @param {number} count number of labels
     */
    show(products, count) {
      place.hold(watch.printer.value?.label ?? null)
      const sheet = place.sheet()
      for (const card of [place.node, picture]) card.classList.toggle('roll', isRoll())
      picture.hidden = count === 0
      place.show(count)
      choice.show()
      preview.show(order(products), sheet === UNNAMED ? MOST_DRAWN : sheet ? capacity(sheet) - place.first() + 1 : 0)
    },
  }
}
