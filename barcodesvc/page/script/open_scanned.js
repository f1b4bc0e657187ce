/** The answer to a scan in the views of products: the page of the scanned product. */

import { Refusal } from './api.js'
import { openDialog } from './dialogs.js'
import { text } from './language.js'
import { announce } from './notices.js'
import { reasonOf } from './parts/failure.js'
import { createProduct } from './parts/product_panel.js'
import { resolveScan } from './resolve_scan.js'
import { bad, good } from './sounds.js'

/**
 * Open the page of a scanned product, or the form of a new one. While something is typed that would be lost, the scan is rejected.
 *
 * @param {string} code
 * @param {boolean} isTyped
 * @param {AbortSignal} signal
 * @param {(id: number) => void} show opens the page of a product
 */
export async function openScanned(code, isTyped, signal, show) {
  if (isTyped) return refuse(text('scan.rejected', { code }))
  try {
    const { id } = await resolveScan(code, signal)
    if (openDialog()) return bad()
    good()
    show(id)
  } catch (error) {
    if (signal.aborted) return
    refuse(reasonOf(error))
    const offered = error instanceof Refusal && error.details.new_product
    if (offered) await createProduct(offered, (product) => show(product.id))
  }
}

/** @param {string} message */
function refuse(message) {
  bad()
  announce(message, 'bad')
}
