/** Links to exports, which the browser saves. */

import { address } from '../api.js'
import { element } from '../dom.js'
import { text } from '../language.js'
import { symbol } from '../symbols.js'

/** @param {string} path */
export function exportLinks(path) {
  return ['xlsx', 'csv'].map((format) =>
    element(
      'a',
      { class: 'button', href: address(path, { format }), download: true, 'aria-label': text(`export.${format}`) },
      symbol('download'),
      text(`format.${format}`),
    ),
  )
}
