/** The answer to a scan in the views that neither book nor print: the page of the scanned product. */

import { Refusal } from './api.js'
import { openDialog } from './dialogs.js'
import { text } from './language.js'
import { latestOnly } from './latest.js'
import { notice } from './notices.js'
import { reasonOf } from './parts/failure.js'
import { createProduct } from './parts/product_panel.js'
import { resolveScan } from './resolve_scan.js'
import { bad, good } from './sounds.js'

/** Why the last scan was not opened, as long as that is shown. @type {HTMLElement | null} */
let refusal = null

/** Of several scans, the last one is opened. */
const scanning = latestOnly()

/**
 * Open the page of a scanned product, or the form of a new one. While something is typed that would be lost, the scan is rejected.
 *
 * @param {string} code
 * @param {() => boolean} isTyped
 * @param {AbortSignal} signal
 * @param {(id: number) => void} show opens the page of a product
 */
export async function openScanned(code, isTyped, signal, show) {
  const isLast = scanning()
  signal.addEventListener('abort', () => refusal?.remove(), { once: true })
  const reject = () => refuse(text('scan.rejected', { code }))
  if (isTyped()) return reject()
  try {
    const { id } = await resolveScan(code, signal)
    if (!isLast()) return
    if (isTyped() || openDialog()) return reject()
    good()
    refusal?.remove()
    show(id)
  } catch (error) {
    if (signal.aborted) return
    refuse(reasonOf(error))
    if (!isLast()) return
    const offered = error instanceof Refusal && error.details.new_product
    if (offered) await createProduct(offered, (product) => show(product.id))
  }
}

/** Open the page of a product from another view. @param {number} id */
export function showProduct(id) {
  location.hash = `#products/${id}`
}

/** @param {string} message */
function refuse(message) {
  bad()
  refusal?.remove()
  refusal = notice(message, 'bad')
}
