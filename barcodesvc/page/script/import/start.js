/** How an import begins: a file that is chosen, or a spreadsheet to fill in. */

import { element } from '../dom.js'
import { text } from '../language.js'
import { symbol } from '../symbols.js'
import { draw, html, Icon } from '../ui.js'

/** Return the link to a spreadsheet to fill in. */
export function templateLink() {
  const href = '/api/products/import/template'
  return element('a', { class: 'button', href, download: true }, symbol('download'), text('import.template'))
}

/**
 * A button that asks for a spreadsheet.
 *
 * @param {{take: (file: File) => void, kind?: string, children: import('../types.js').Children}} props
 */
export function FileButton({ take, kind = '', children }) {
  const taken = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget: field }) => {
    const [file] = field.files ?? []
    field.value = ''
    if (file) take(file)
  }
  return html`
    <label class="button file-button ${kind}">
      <${Icon} name="upload" />${children}
      <input type="file" accept=".xlsx,.xls,.ods,.csv,.tsv,.txt" class="unseen" onchange=${taken} />
    </label>`
}

/**
 * The same, as an element.
 *
 * @param {string} label
 * @param {(file: File) => void} take
 */
export function fileButton(label, take) {
  return /** @type {HTMLElement} */ (draw(html`<${FileButton} take=${take}>${label}<//>`).node.firstElementChild)
}
