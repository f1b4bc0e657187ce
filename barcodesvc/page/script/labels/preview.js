/**
 * What will be printed: one label of an order, in large, or the symbol of a code; or why there is none.
 *
 * Rule: the picture of a label follows the last change after a pause, so that typing asks for one picture.
 */

import { address, file, Refusal } from '../api.js'
import { text } from '../language.js'
import { Failure, html, useEffect, useMemo, useRequest } from '../ui.js'
import { BEST, previewRequest, whyNotEncoded, whyNotPrinted } from './orders.js'

/** @import {Order} from '../types.js' */

/** The first label of an order. `refused` is called if the order cannot be printed. @param {{order: Order | null, pause?: number, refused?: (order: Order) => void}} props */
export function LabelPreview({ order, pause = 400, refused }) {
  const body = order?.products.length ? previewRequest(order) : null
  const load = async (/** @type {AbortSignal} */ signal) => {
    await new Promise((resolve) => setTimeout(resolve, body ? pause : 0))
    return body && !signal.aborted ? file('POST', '/api/codes/printable', { body, signal }) : null
  }
  return html`
    <${Picture} load=${load} of=${JSON.stringify(body)} alt=${text('labels.preview.of')} refused=${() => order && refused?.(order)}
      why=${(/** @type {Refusal} */ error) => whyNotPrinted(error, order?.code_type ?? '')} />`
}

/** The symbol of a code. `refused` is called if the symbology cannot encode that. @param {{code: string, symbology?: string, refused?: () => void}} props */
export function SymbolPicture({ code, symbology = BEST, refused }) {
  const source = address(`/api/codes/barcode/${encodeURIComponent(code)}.svg`, { format: symbology })
  const load = (/** @type {AbortSignal} */ signal) => file('GET', source, { signal })
  return html`
    <${Picture} load=${load} of=${source} alt=${text('labels.symbol', { code })} refused=${refused}
      why=${(/** @type {Refusal} */ { details }) => whyNotEncoded(symbology, code, details)} />`
}

/** A picture of the service; `of` is what it is requested for. Browsers do not say why an address of a picture shows none, so it is requested as a file. @param {{load: (signal: AbortSignal) => Promise<Blob | null>, of: string, alt: string, refused?: () => void, why: (error: Refusal) => string}} props */
function Picture({ load, of, alt, refused, why }) {
  const { data, error, isUnderWay, again } = useRequest(load, [of])
  const source = useMemo(() => (data ? URL.createObjectURL(data) : ''), [data])
  useEffect(() => () => URL.revokeObjectURL(source), [source])
  const isWrong = error instanceof Refusal && [400, 404].includes(error.status)
  useEffect(() => void (isWrong && refused?.()), [error])
  return html`
    <div class="preview" aria-busy=${isUnderWay ? 'true' : undefined}>
      ${source && !error && html`<img src=${source} alt=${alt} />`}
      <div role="status">${isWrong && html`<p class="problem"><bdi>${why(error)}</bdi></p>`}</div>
      ${error && !isWrong && html`<${Failure} error=${error} again=${again} />`}
    </div>`
}
