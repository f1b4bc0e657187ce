/** How an import begins: a spreadsheet to fill in, or a file that another view passes on. */

import { text } from '../language.js'
import { saveFile } from '../lists.js'
import { html, Icon, signal } from '../ui.js'

/** The files that the service reads. */
export const SPREADSHEETS = '.xlsx,.xls,.ods,.csv,.tsv,.txt'

/** The link to a spreadsheet to fill in. */
export function TemplateLink() {
  return html`
    <a class="button" href="/api/products/import/template" download onclick=${saveFile}>
      <${Icon} name="download" />${text('import.template')}
    </a>`
}

/** The file for the view of products, which imports it. */
const requested = signal(/** @type {File | null} */ (null))

/**
 * Open the view of products with the import of a file.
 *
 * @param {File} file
 */
export function requestImport(file) {
  requested.value = file
  location.hash = '#products'
}

/** Return the requested file, once, or null. */
export function requestedImport() {
  const file = requested.value
  requested.value = null
  return file
}
