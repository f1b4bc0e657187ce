/** The symbol of a code as it will be printed, or why there is none. */

import { address, file, Refusal } from '../api.js'
import { element, fill } from '../dom.js'
import { text } from '../language.js'
import { whyNotEncoded } from './unprintable.js'
import { failure } from '../failure.js'

/** The service's name for the symbology that suits each code. */
export const BEST = 'best'

/**
 * @param {string} code
 * @param {{loading?: 'eager' | 'lazy', refused?: () => void}} [options] `refused` is called if the symbology cannot encode
 *   the code
 */
export function symbolPicture(code, { loading = 'lazy', refused } = {}) {
  const node = element('div', { class: 'symbol-picture' })
  let shown = ''

  /** @param {string} symbology */
  function show(symbology) {
    if (symbology === shown) return
    shown = symbology
    const source = address(`/api/codes/barcode/${encodeURIComponent(code)}.svg`, { format: symbology })
    draw(source, () => void explain(source, symbology))
  }

  /**
   * @param {string} source
   * @param {() => void} failed called if the picture does not load
   */
  function draw(source, failed) {
    node.classList.remove('explained')
    fill(node, element('img', { src: source, alt: text('labels.symbol', { code }), loading, onerror: failed }))
  }

  /**
   * A browser does not say why a picture does not load, so it is requested once more. If it loads now, for example after a
   * lost packet or a log-in, it is shown.
   *
   * @param {string} source
   * @param {string} symbology
   */
  async function explain(source, symbology) {
    const error = await file('GET', source).then(
      () => null,
      (/** @type {unknown} */ reason) => reason,
    )
    if (symbology !== shown) return
    if (error === null) return draw(source, () => lost(null))
    if (!(error instanceof Refusal) || error.status !== 400) return lost(error)
    node.classList.add('explained')
    fill(node, element('p', { class: 'problem' }, element('bdi', null, whyNotEncoded(symbology, code, error.details))))
    refused?.()
  }

  /** @param {unknown} error */
  function lost(error) {
    const again = () => {
      const symbology = shown
      shown = ''
      show(symbology)
    }
    node.classList.add('explained')
    fill(node, failure(error, again))
  }

  return { node, show }
}
