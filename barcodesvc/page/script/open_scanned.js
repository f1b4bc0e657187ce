/**
 * The answer to a scan in the views that neither book nor print: the page of the scanned product, or what the device
 * remembers of it while the service cannot be reached.
 */

import { Refusal, Unreachable } from './api.js'
import { notice, openDialog } from './in_front.js'
import { moment, number } from './formats.js'
import { text } from './language.js'
import { latestOnly } from './in_turn.js'
import { errorText } from './ui.js'
import { createProduct } from './scan/panel.js'
import { resolveOrRecall } from './resolve_scan.js'
import { bad, good, unchecked } from './sounds.js'

/** Opens the page of a product from another view. @param {number} id */
const showProduct = (id) => void (location.hash = `#products/${id}`)

/**
 * Return what opens the page of a scanned product, or the form of a new one; of several scans, the last one is opened. While
 * something is typed that would be lost, a scan is rejected.
 *
 * @param {AbortSignal} signal
 * @param {(id: number) => void} [show]
 * @param {() => boolean} [isTyped]
 */
export function scanOpener(signal, show = showProduct, isTyped = () => false) {
  const begin = latestOnly()
  /** What is said of the last scan instead. @type {{remove: () => void} | null} */
  let said = null
  const say = (/** @type {string} */ message) => {
    said?.remove()
    said = notice(message, 'bad')
  }

  return async (/** @type {string} */ code) => {
    const isLast = begin()
    const reject = () => (bad(), say(text('scan.rejected', { code })))
    if (isTyped()) return reject()
    try {
      const found = await resolveOrRecall(code, signal, undefined, (known) => {
        if (isLast()) say(known?.remembered ? whatIsRemembered(known, known.remembered) : text('scan.looking'))
      })
      if (!isLast()) return
      if (found.remembered) return (good(), say(whatIsRemembered(found, found.remembered)))
      if (isTyped() || openDialog()) return reject()
      good()
      said?.remove()
      show(found.id)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof Unreachable) return (unchecked(), say(text('scan.unchecked')))
      bad()
      say(errorText(error))
      const offered = isLast() && error instanceof Refusal && error.details.new_product
      if (offered) await createProduct(offered, (product) => show(product.id))
    }
  }
}

/** @param {import('./resolve_scan.js').FoundProduct} product @param {Date} remembered */
function whatIsRemembered({ product_code, description, level }, remembered) {
  const says = text('scan.remembered', { time: moment(remembered) })
  return `${description} (${product_code}): ${number(level)}. ${says}`
}
