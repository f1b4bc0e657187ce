/** Finds the product of a scanned text. */

import { ask, Unreachable } from './api.js'
import { bookings, hasBooked } from './bookings/sending.js'
import { followed, levelWithUnsent } from './bookings/store.js'

/** Milliseconds without a response after which a look-up says so. */
const LATE = 1000

/** @typedef {import('./types.js').Embedded} Embedded */
/** @typedef {{id: number, product_code: string, description: string, level: number, pack: number, embedded?: Embedded, retired?: boolean, remembered?: Date}} FoundProduct `pack` is how many pieces its code stands for, `embedded` a value inside the scan; `remembered` is from when this device remembers it */

/** Return the product of a scanned text, with its level. @param {string} code @param {AbortSignal} signal @param {string} [type] the symbology, if the camera has read it @returns {Promise<FoundProduct>} */
export async function resolveScan(code, signal, type) {
  const body = { code_data: code, ...(type && { code_type: type }) }
  const { product, code: fitting, inventory, embedded } = await ask('POST', '/api/codes/decode', { body, signal })
  const level = inventory?.current_level ?? 0
  void import('./catalogue/copy.js')
    .then((copy) => copy.rememberLevels(new Map([[product.id, level]])))
    .catch(() => undefined)
  return { ...product, level, pack: fitting?.pack_quantity ?? 1, ...(embedded && { embedded }) }
}

/**
 * Return the same; if the service cannot be reached, as this device remembers it. When the response is late, `late` is called
 * with what this device remembers.
 *
 * @type {(code: string, signal: AbortSignal, type: string | undefined, late: (known: FoundProduct | null) => void) => Promise<FoundProduct>}
 */
export async function resolveOrRecall(code, signal, type, late) {
  let isPending = true
  const timer = setTimeout(async () => {
    const known = await recall(code)
    if (isPending && !signal.aborted) late(known)
  }, LATE)
  try {
    return await resolveScan(code, signal, type)
  } catch (error) {
    const known = error instanceof Unreachable && (await recall(code))
    if (known) return known
    throw error
  } finally {
    isPending = false
    clearTimeout(timer)
  }
}

/** Return the product with exactly this code, its own or a further one, as this device remembers it, with its own bookings that wait, or null. @param {string} code */
export async function recall(code) {
  const copy = await import('./catalogue/copy.js').catch(() => null)
  const known = copy && (await copy.remembered(code))
  if (!known) return null
  if (await hasBooked())
    await bookings().then(
      () => followed,
      () => undefined,
    )
  return { ...known, level: levelWithUnsent(known.packs, known.level) }
}
