/**
 * The product that was scanned last: what the scan led to, its name, its level in large figures; and its last movements.
 *
 * Rule: screen readers read one short message for each scan. So this has the only live region that a scan changes.
 */

import { ask } from '../api.js'
import { undo as takeBack } from '../bookings/store.js'
import { announce, openDialog } from '../in_front.js'
import { exact, moment, number } from '../formats.js'
import { text } from '../language.js'
import { LastMovements } from '../movements.js'
import { Button, html, Icon, IconButton, Mark } from '../ui.js'
import { needed } from '../service.js'
import { cancel } from './desk.js'

/** @typedef {import('./results.js').Shown} Shown */

/** Movements that are shown. */
const MOVEMENTS = 5

/** Milliseconds after which the movements of a product are asked for: the next scan may show another one. */
const CALM = 250

/** @param {{desk: import('./desk.js').Desk}} props */
export function ProductPanel({ desk }) {
  const { state, message, product, code, candidates, offered, created } = desk.shown.value
  const mode = desk.session.mode.value
  const offer = (/** @type {boolean} */ isKnown) => () => void createProduct(offered ?? {}, created, isKnown)
  return html`
    <section class="card product" aria-label=${text('scan.product')} data-state=${state}>
      <div class="edge"><${Icon} name=${mode} /></div>
      <div class="message">
        ${['good', 'waiting', 'bad'].includes(state) && html`<${Icon} name=${state} />`}<span class="grow">${message}</span>
        ${desk.session.waiting.value && html`<${IconButton} icon="bad" label=${text('cancel')} onclick=${() => cancel(desk)} />`}
      </div>
      <p class="unseen" role="status">${desk.spoken.value}</p>
      ${state === 'ready' && !product && html`<p class="soft">${text(`mode.${mode}.says`)}</p>`}
      ${product ? html`<${Found} ...${desk.shown.value} product=${product} />` : code && html`<${Code} code=${code} />`}
      ${candidates.map((each) => html`<${Code} key=${each} code=${each} />`)}
      ${
        offered &&
        html`
        <div class="row">
          <${Button} kind="main" onclick=${offer(false)}>${text('scan.create')}<//>
          <${Button} onclick=${offer(true)}>${text('code.of')}<//>
        </div>`
      }
    </section>`
}

/** @param {{code: string}} props */
function Code({ code }) {
  return html`<p class="code"><bdi>${code}</bdi></p>`
}

/** @param {Shown & {product: import('../resolve_scan.js').FoundProduct}} props */
function Found({ product, scanned, at, isAged, undo }) {
  const { id, product_code, description, level, pack, embedded, retired } = product
  return html`
    <div class="named">
      <h2 class="clamped"><bdi>${description}</bdi></h2>
      <p>
        <a class="code" href=${`#products/${id}`}><bdi>${product_code}</bdi></a>
        ${scanned !== product_code && html` <bdi class="code soft">${scanned}</bdi>`}
        ${pack > 1 && html` <${Mark}>${text('code.pack', { count: pack })}<//>`}
        ${embedded && html` <${Mark}>${text(`embedded.${embedded.kind}`, { value: exact(embedded.value) })}<//>`}
        ${retired && html` <${Mark} kind="bad">${text('product.retired')}<//>`}
      </p>
    </div>
    <div class="row apart">
      <p class="level">
        <span class="soft">${isAged ? text('level.remembered', { time: moment(at) }) : text('product.current_level')}</span>${' '}
        <strong>${number(level ?? 0)}</strong>
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

/** The last movements of the product that is shown, loaded again whenever its level is another one; for an unknown code, the way to all of these. @param {{desk: import('./desk.js').Desk}} props */
export function ProductMovements({ desk }) {
  const { product, offered } = desk.shown.value
  /** @param {AbortSignal} signal */
  const load = async (signal) => {
    await new Promise((resolve) => setTimeout(resolve, CALM))
    signal.throwIfAborted()
    return ask('GET', `/api/inventory/${product?.id}/history`, { query: { limit: MOVEMENTS }, signal })
  }
  if (offered) return html`<a class="back" href="#products/unknown">${text('unknown')}<${Icon} name="forward" /></a>`
  return (
    product &&
    html`<${LastMovements} key=${product.id} class="card movements-of" load=${load} inputs=${[product.level]} />`
  )
}

/**
 * Ask for a new product with the form, or with `isKnown` for the one that the code is of; the form is loaded when it is first
 * needed. Without `created`, the changes that were refused because the code was unknown are made afterwards.
 *
 * @param {Record<string, any>} known @param {(product: any) => void} [created] @param {boolean} [isKnown]
 */
export async function createProduct(known, created, isKnown = false) {
  const form = await needed(import('../products/form.js')).catch(({ message }) => announce(message, 'bad'))
  if (!form || openDialog()) return
  if (isKnown) await form.assignCode(known, created)
  else if (created) form.newProduct(known, created)
  else await form.newBookedProduct(known)
}
