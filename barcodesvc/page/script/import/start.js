/** How an import begins: a file that is chosen, or a spreadsheet to fill in. */

import { element } from '../dom.js'
import { text } from '../language.js'
import { symbol } from '../symbols.js'

/** Return the link to a spreadsheet to fill in. */
export function templateLink() {
  const href = '/api/products/import/template'
  return element('a', { class: 'button', href, download: true }, symbol('download'), text('import.template'))
}

/**
 * Return a button that asks for a spreadsheet.
 *
 * @param {string} label
 * @param {(file: File) => void} take
 */
export function fileButton(label, take) {
  const field = element('input', {
    type: 'file',
    accept: '.xlsx,.xls,.ods,.csv,.tsv,.txt',
    class: 'unseen',
    onchange: () => {
      const [file] = field.files ?? []
      field.value = ''
      if (file) take(file)
    },
  })
  return element('label', { class: 'button file-button' }, symbol('upload'), label, field)
}
