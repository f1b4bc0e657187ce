/** One product: its level and how to change it, its symbol and fields, its movements with a chart. */

import { ask, Refusal } from '../api.js'
import { moment, number, signed } from '../formats.js'
import { SymbolPicture } from '../labels/preview.js'
import { text } from '../language.js'
import { MovementList } from '../movement_list.js'
import { announce } from '../notices.js'
import { Button, Failure, html, Icon, IconButton, Initial, Loading } from '../ui.js'
import { useLayoutEffect, useRequest, useSignal } from '../ui.js'
import { DeleteQuestion } from './bulk_actions.js'
import { changeProduct } from './form.js'
import { LevelCard } from './level.js'
import { LevelChart } from './level_chart.js'
import { labelsAddress } from './products_by_id.js'

/** @typedef {import('../types.js').Product} Product */
/** @typedef {import('../types.js').Signal<string>} Text */

/**
 * `list` is the address of the list. `changed` is called after the product or its level has changed, `deleted` once it is gone.
 *
 * @param {{id: string, list: string, amount: Text, reason: Text, changed: () => void, deleted: () => void}} props
 */
export function ProductPage({ id, list, amount, reason, changed, deleted }) {
  const path = encodeURIComponent(id)
  const movements = useSignal(/** @type {readonly import('../types.js').Movement[]} */ ([]))
  const [level, turn] = [useSignal(0), useSignal(0)]
  const loaded = useRequest((signal) => productOf(path, id, signal), [id])
  useLayoutEffect(() => void (level.value = loaded.data?.current_level ?? 0), [loaded.data])
  const renew = () => (void loaded.again(), void turn.value++, changed())
  const settled = (/** @type {import('../bookings/booking.js').Booking} */ { state, delta, result }) => {
    if (state !== 'booked' || !result) return renew()
    level.value = result.newLevel
    announce(saysOf(delta, result.newLevel))
    turn.value += 1
    changed()
  }
  const load = (/** @type {object} */ place, /** @type {AbortSignal | undefined} */ signal) =>
    ask('GET', `/api/inventory/${path}/history`, { query: { ...place }, ...(signal && { signal }) })
  const { data: product, error } = loaded
  const isGone = error instanceof Refusal && (error.status === 404 || error.status === 400)
  return html`
    <div class="product-view">
      <${Title} product=${product} list=${list} />
      ${isGone && html`<p class="card problem">${text('refused.not_found')}</p>`}
      ${error && !isGone && html`<${Failure} error=${error} again=${loaded.again} />`}
      ${!error && !product && html`<${Loading} />`}
      ${
        !error &&
        product &&
        html`
        <${LevelCard} product=${product} level=${level.value} ...${{ amount, reason, settled }} />
        <${About} product=${product} changed=${renew} deleted=${deleted} />
        <section class="card wide">
          <h2>${text('product.history')}</h2>
          <${LevelChart} movements=${movements.value} minimum=${product.minimum_level} now=${new Date()} />
          <${MovementList} movements=${movements} load=${load} inputs=${[id, turn.value]} none=${text('product.history.none')}
            undone=${(/** @type {{new_level: number}} */ { new_level }) => ((level.value = new_level), changed())} />
        </section>`
      }
    </div>`
}

/**
 * @param {string} path
 * @param {string} id
 * @param {AbortSignal} signal
 * @returns {Promise<Product>}
 */
async function productOf(path, id, signal) {
  const [product, [{ current_level, minimum_level, maximum_level }]] = await Promise.all([
    ask('GET', `/api/products/${path}`, { signal }),
    ask('GET', '/api/inventory', { query: { product_id: id }, signal }),
  ])
  return { ...product, current_level, minimum_level, maximum_level }
}

/**
 * @param {number | null} delta
 * @param {number} newLevel
 */
function saysOf(delta, newLevel) {
  const level = number(newLevel)
  return delta === null
    ? text('product.level-set', { level })
    : text('product.level-changed', { change: signed(delta), level })
}

/** @param {{product: Product | undefined, list: string}} props */
function Title({ product, list }) {
  return html`
    <div class="wide product-title">
      <a class="back" href=${list}><${Icon} name="back" />${text('view.products')}</a>
      ${product && html`<${Initial} name=${product.description} />`}
      <div class="grow">
        <h1 tabindex="-1">${product ? html`<bdi>${product.description}</bdi>` : text('product')}</h1>
        ${product && html`<bdi class="code soft">${product.product_code}</bdi>`}
      </div>
      <${IconButton} icon="bad" label=${text('close')} onclick=${() => (location.hash = list)} />
    </div>`
}

/** @param {{product: Product, changed: () => void, deleted: () => void}} props */
function About({ product, changed, deleted }) {
  const isAsked = useSignal(false)
  const { id, product_code, category, unit_of_measure, attributes, created_at, updated_at } = product
  const fields = /** @type {[string, string][]} */ ([
    [text('product.category'), category || '–'],
    [text('product.unit_of_measure'), unit_of_measure],
    ...Object.entries(attributes),
  ])
  const dates = [
    text('product.created', { time: moment(created_at) }),
    text('product.edited', { time: moment(updated_at) }),
  ]
  return html`
    <section class="card" aria-label=${text('product')}>
      <${SymbolPicture} key=${product_code} code=${product_code} />
      <div class="row">
        <a class="button" href=${labelsAddress([id])}><${Icon} name="print" />${text('scan.print')}</a>
        <${Button} onclick=${() => changeProduct(product, changed)}>${text('product.change')}<//>
      </div>
      <dl class="fields">
        ${fields.map(([name, value]) => html`<div key=${name}><dt><bdi>${name}</bdi></dt><dd><bdi>${breakable(value)}</bdi></dd></div>`)}
      </dl>
      <div class="row apart">
        <p class="soft dates">${dates.map((date) => html`<span key=${date}>${date}</span> `)}</p>
        <${Button} kind="danger" onclick=${() => (isAsked.value = true)}>${text('product.delete')}<//>
      </div>
      ${
        isAsked.value &&
        html`
        <${DeleteQuestion} products=${[product]} closed=${() => (isAsked.value = false)}
          deleted=${(/** @type {Product[]} */ kept) => void (kept.length === 0 && deleted())} />`
      }
    </section>`
}

/** Return a text that may be broken after a slash, which browsers take for a part of a word. @param {string} words */
function breakable(words) {
  return (words.match(/[^/]*\/|[^/]+/g) ?? []).flatMap((part, index) => (index ? [html`<wbr />`, part] : [part]))
}
