/** The orders of a kiosk: labels of one product, as its address wants them. */

import { ask } from '../api.js'
import { layoutOn, NEW } from '../labels/layout.js'
import { capacity } from '../labels/sheets.js'

/** @typedef {import('../labels/printing.js').Order} Order */

export class KioskOrders {
  #wanted
  /** The sheet whose label is shown; null if only the service knows it. @type {import('../labels/sheets.js').Sheet | null} */
  #label = null
  /** The saved layout. @type {import('../labels/layout.js').Layout} */
  #layout = {}
  /** Whether the symbology is a matrix code. */
  isMatrix = false

  /** @param {import('./address.js').Wanted} wanted */
  constructor(wanted) {
    this.#wanted = wanted
  }

  /** @param {import('./address.js').Found} found what the service has of what is wanted */
  know({ sheet, layout, isMatrix }) {
    this.#label = sheet
    this.#layout = layout
    this.isMatrix = isMatrix
  }

  /**
   * Load the layout again, because another device may have changed it; without a response it stays as it was.
   *
   * @param {AbortSignal} signal
   */
  async followLayout(signal) {
    const { layout } = this.#wanted
    if (!layout) return
    const path = `/api/codes/layouts/${encodeURIComponent(layout)}`
    const saved = await ask('GET', path, { signal }).catch(() => null)
    if (saved) this.#layout = saved.layout
  }

  /**
   * @param {{product: {product_code: string}, copies: number}} task
   * @returns {Order}
   */
  of({ product: { product_code: code }, copies }) {
    const { layout, sheet, symbology } = this.#wanted
    return { products: [{ code, copies }], symbology, sheet, layout: layout ? this.#layout : NEW }
  }

  /**
   * Return the order of one label alone, as it is printed; null if the symbol is all that is known of it.
   *
   * @param {{product_code: string}} product
   * @param {import('./printer.js').KioskPrinter | null} printer
   */
  preview(product, printer) {
    if (!this.#wanted.layout && !this.#wanted.printer) return null
    const order = this.of({ product, copies: 1 })
    const whole = printer?.orderFor(order) ?? order
    if (!this.#label || capacity(this.#label) <= 1) return whole
    const { label_width: width, label_height: height } = this.#label
    const size = `${width}x${height}mm`
    return { ...whole, sheet: size, layout: layoutOn(whole.layout ?? {}, size) }
  }
}
