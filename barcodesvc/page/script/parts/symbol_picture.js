/** The symbol of a code as it will be printed, or why a symbology cannot hold the code. */

import { address, file } from '../api.js'
import { element, fill } from '../dom.js'
import { text } from '../language.js'
import { reasonOf } from './failure.js'

/** @param {string} code */
export function symbolPicture(code) {
  const node = element('div', { class: 'symbol-picture' })
  let shown = ''

  /** @param {string} symbology */
  function show(symbology) {
    if (symbology === shown) return
    shown = symbology
    const source = address(`/api/codes/barcode/${encodeURIComponent(code)}.svg`, { format: symbology })
    const failed = () => void explain(source, symbology)
    fill(node, element('img', { src: source, alt: text('labels.symbol', { code }), loading: 'lazy', onerror: failed }))
  }

  /**
   * @param {string} source
   * @param {string} symbology
   */
  async function explain(source, symbology) {
    const reason = await file('GET', source).then(() => '', reasonOf)
    if (symbology !== shown) return
    fill(
      node,
      element('p', { class: 'problem' }, text('labels.symbol.wrong', { code, symbology })),
      element('p', { class: 'soft' }, element('bdi', null, reason)),
    )
  }

  return { node, show }
}
