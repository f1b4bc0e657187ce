/** How an import begins: a file that is chosen, or a spreadsheet to fill in. */

import { element } from '../dom.js'
import { text } from '../language.js'
import { symbol } from '../symbols.js'
import { draw, FileButton, html } from '../ui.js'

/** Return the link to a spreadsheet to fill in. */
export function templateLink() {
  const href = '/api/products/import/template'
  return element('a', { class: 'button', href, download: true }, symbol('download'), text('import.template'))
}

/** The files that the service reads. */
export const SPREADSHEETS = '.xlsx,.xls,.ods,.csv,.tsv,.txt'

/**
 * Return a button that asks for a spreadsheet.
 *
 * @param {string} label
 * @param {(file: File) => void} take
 */
export function fileButton(label, take) {
  return /** @type {HTMLElement} */ (
    draw(html`<${FileButton} accept=${SPREADSHEETS} take=${take}>${label}<//>`).node.firstElementChild
  )
}
