/**
 * The product that was scanned last: what the scan led to, its name, its level in large figures; and its last movements.
 *
 * Rule: screen readers read one short message for each scan. So this has the only live region that a scan changes.
 */

import { ask } from '../api.js'
import { undo as takeBack } from '../bookings/store.js'
import { announce, openDialog } from '../in_front.js'
import { moment, number } from '../formats.js'
import { text } from '../language.js'
import { MovementOf } from '../movements.js'
import { refusalText } from '../reasons.js'
import { Button, html, Icon, IconButton, useRequest } from '../ui.js'
import { needed } from '../service.js'
import { SIGNS } from './modes.js'

/** @typedef {{id: number, product_code: string, description: string, level?: number, remembered?: Date}} Product */
/** @typedef {'ready' | 'looking' | 'good' | 'waiting' | 'bad'} State of a scan; the last three have a sign each */
/** @typedef {{state: State, message: string, code: string, scanned: string, product: Product | null, at: Date, isAged: boolean, undo: number, candidates: string[], offered: Record<string, any> | null, created?: ((product: any) => void) | undefined}} Shown `undo` is the booking that can be undone, or 0; `at` is of when the level is */

/** Movements that are shown. */
const MOVEMENTS = 5

/** Milliseconds after which the movements of a product are asked for: the next scan may show another one. */
const CALM = 250

/** The signs of results. @type {Partial<Record<State, string>>} */
const RESULTS = { good: 'good', waiting: 'waiting', bad: 'bad' }

/** Nothing that was scanned. @returns {Shown} */
export function nothing() {
  const none = { code: '', scanned: '', product: null, at: new Date(), isAged: false }
  return { ...none, state: 'ready', message: text('scan.ready'), undo: 0, candidates: [], offered: null }
}

/**
 * Say what a scan led to. The product stays only if the code is its own, so that its buttons stay under the finger.
 *
 * @param {Shown} before
 * @param {State} state
 * @param {string} code
 * @param {string} message
 * @returns {Shown}
 */
export function withResult(before, state, code, message) {
  const { product, scanned, isAged, undo } = before
  const isSame = product && [product.product_code, scanned].includes(code)
  const kept = isSame ? { ...before, isAged: isAged || state === 'waiting' } : { ...nothing(), code }
  // undo would take back an earlier booking than the one under way
  return { ...kept, state, message, undo: isSame && state !== 'looking' ? undo : 0, candidates: [], offered: null }
}

/**
 * Show a product.
 *
 * @param {State} state
 * @param {Product} product
 * @param {string} scanned the scanned text
 * @param {string} message the result of the scan
 * @param {number} [undo] the booking that led to this
 * @returns {Shown}
 */
export function withProduct(state, product, scanned, message, undo = 0) {
  const at = product.remembered ?? new Date()
  return { ...nothing(), state, message, scanned, product, at, isAged: Boolean(product.remembered), undo }
}

/**
 * Say why the service refused. A product that it names is shown, with its level.
 *
 * @param {string} code
 * @param {import('../types.js').Problem | import('../api.js').Refusal} problem
 * @param {{delta?: number | null, created?: (product: any) => void}} of the booking's delta, or what to do when the product has
 * been created, if no booking waits for it
 * @returns {Shown}
 */
export function withRefusal(code, problem, { delta = null, created }) {
  const { product_id: id, product_code, description, current_level: level, ...more } = problem.details ?? {}
  const message = refusalText(problem, delta)
  if (id) return withProduct('bad', { id, product_code, description, level }, code, message)
  const { candidates = [], new_product: offered = null } = more
  return { ...nothing(), state: 'bad', message, code, candidates, offered, created }
}

/** @param {{desk: import('./desk.js').ScanDesk}} props */
export function ProductPanel({ desk }) {
  const { state, message, product, code, candidates, offered, created } = desk.results.shown.value
  const { waiting, mode } = desk.entered.value
  const create = () => void createProduct(offered ?? {}, created)
  return html`
    <section class="card product" aria-label=${text('scan.product')} data-state=${state}>
      <div class="edge"><${Icon} name=${SIGNS[mode]} /></div>
      <div class="message">
        ${RESULTS[state] && html`<${Icon} name=${RESULTS[state]} />`}<span class="grow">${message}</span>
        ${waiting && html`<${IconButton} icon="bad" label=${text('cancel')} onclick=${() => desk.cancel()} />`}
      </div>
      <p class="unseen" role="status">${desk.results.spoken.value}</p>
      ${state === 'ready' && !product && html`<p class="soft">${text(`mode.${mode}.says`)}</p>`}
      ${!product && code && html`<p class="code"><bdi>${code}</bdi></p>`}
      ${product && html`<${Found} ...${desk.results.shown.value} product=${product} />`}
      ${candidates.map((each) => html`<p class="code" key=${each}><bdi>${each}</bdi></p>`)}
      ${offered && html`<${Button} kind="main" onclick=${create}>${text('scan.create')}<//>`}
    </section>`
}

/** @param {Shown & {product: Product}} props */
function Found({ product, scanned, at, isAged, undo }) {
  const { id, product_code, description, level = 0 } = product
  return html`
    <div class="named">
      <h2 class="clamped"><bdi>${description}</bdi></h2>
      <p>
        <a class="code" href=${`#products/${id}`}><bdi>${product_code}</bdi></a>
        ${scanned !== product_code && html` <bdi class="code soft">${scanned}</bdi>`}
      </p>
    </div>
    <div class="row apart">
      <p class="level">
        <span class="soft">${isAged ? text('level.remembered', { time: moment(at) }) : text('product.current_level')}</span>${' '}
        <strong>${number(level)}</strong>
      </p>
      <div class="row actions">
        ${undo > 0 && html`<${IconButton} icon="undo" label=${text('booking.undo')} onclick=${() => void takeBack(undo)} />`}
        <${IconLink} icon="print" label=${text('scan.print')} href=${`#labels?products=${id}`} />
        <${IconLink} icon="forward" label=${text('scan.open')} href=${`#products/${id}`} />
      </div>
    </div>`
}

/** @param {{icon: string, label: string, href: string}} props */
function IconLink({ icon, label, href }) {
  return html`<a class="button icon" href=${href} aria-label=${label} title=${label}><${Icon} name=${icon} /></a>`
}

/** The last movements of the product that is shown, loaded again whenever its level is another one. @param {{shown: {value: Shown}}} props */
export function ProductMovements({ shown }) {
  const { product } = shown.value
  return product && html`<${Movements} key=${product.id} id=${product.id} level=${product.level} />`
}

/** @param {{id: number, level: number | undefined}} props */
function Movements({ id, level }) {
  /** @type {(signal: AbortSignal) => Promise<import('../types.js').Movement[]>} */
  const load = async (signal) => {
    await new Promise((resolve) => setTimeout(resolve, CALM))
    signal.throwIfAborted()
    return ask('GET', `/api/inventory/${id}/history`, { query: { limit: MOVEMENTS }, signal })
  }
  const { data } = useRequest(load, [level])
  if (!data?.length) return null
  return html`
    <section class="card movements-of">
      <ol class="changes" aria-label=${text('stock.moved')}>
        ${data.map((each) => html`<${MovementOf} key=${each.id} movement=${each} />`)}
      </ol>
    </section>`
}

/**
 * Ask for a new product with the form, which is loaded when it is first needed. Without `created`, the bookings that were
 * refused because this product was missing are made when it exists.
 *
 * @param {Record<string, any>} known
 * @param {(product: any) => void} [created]
 */
export async function createProduct(known, created) {
  const form = await needed(import('../products/form.js')).catch(({ message }) => announce(message, 'bad'))
  if (!form || openDialog()) return
  if (created) form.newProduct(known, created)
  else await form.newBookedProduct(known)
}
