/** One product: its level and how to change it, its symbol and fields, its movements with a chart. */

import { ask, Refusal } from '../api.js'
import { moment, number, signed } from '../formats.js'
import { SymbolPicture } from '../labels/preview.js'
import { text } from '../language.js'
import { MovementList, newList } from '../movements.js'
import { announce } from '../in_front.js'
import { Button, errorText, Failure, html, Icon, IconButton, Initial, Loading, Mark } from '../ui.js'
import { useLayoutEffect, useMemo, useRequest, useSignal } from '../ui.js'
import { DeleteQuestion } from './bulk.js'
import { Codes } from './codes.js'
import { changeProduct } from './form.js'
import { LevelCard, LevelChart } from './level.js'

/** @typedef {import('../types.js').Product} Product */
/** @typedef {import('../types.js').Signal<string>} Text */

/** `back` is the address of the list. `changed` is called after the product or its level has changed, `deleted` once it is gone. @param {{id: string, back: string, amount: Text, reason: Text, changed: () => void, deleted: () => void}} props */
export function ProductPage({ id, back, amount, reason, changed, deleted }) {
  const [list, level] = [useMemo(newList, []), useSignal(0)]
  const query = { ids: id, include_levels: true }
  const { data, error, again } = useRequest(
    (signal) => ask('GET', '/api/products', { query, signal }).then(([found]) => ({ found })),
    [],
  )
  /** @type {Product | undefined} */
  const product = data?.found
  useLayoutEffect(() => void (level.value = product?.current_level ?? 0), [product])
  const moved = () => void ((list.wanted.value = { before: 0 }), changed())
  const settled = (/** @type {import('../types.js').Booking} */ { state, delta, result }) => {
    if (state === 'booked' && result) {
      const says = { change: signed(delta ?? 0), level: number(result.newLevel) }
      const told = [text(delta === null ? 'product.level-set' : 'product.level-changed', says)]
      if (level.value !== result.oldLevel) told.push(text('product.level-moved', { level: number(result.oldLevel) }))
      const isWarned = result.retired && result.newLevel > result.oldLevel
      if (isWarned) told.push(text('product.retired.warns', { product: result.description }))
      announce(told.join(' '), isWarned ? 'wait' : 'good')
      level.value = result.newLevel
    } else again()
    moved()
  }
  const load = (/** @type {object} */ place, /** @type {AbortSignal} */ signal) =>
    ask('GET', `/api/inventory/${encodeURIComponent(id)}/history`, { query: { ...place }, signal })
  const isGone = error instanceof Refusal ? error.status === 400 : data && !product
  if (isGone || error || !product)
    return html`
      <div class="product-view">
        <${Title} back=${back} />
        ${isGone ? html`<p class="card problem">${text('refused.not_found')}</p>` : error ? html`<${Failure} error=${error} again=${again} />` : html`<${Loading} />`}
      </div>`
  return html`
    <div class="product-view">
      <${Title} product=${product} back=${back} />
      <${LevelCard} product=${product} level=${level.value} ...${{ amount, reason, settled }} />
      <${About} product=${product} changed=${() => (again(), moved())} deleted=${deleted} />
      <${Codes} product=${product} changed=${() => (again(), moved())} />
      <section class="card wide">
        <h2>${text('product.history')}</h2>
        <${LevelChart} movements=${list.shown.value} minimum=${product.minimum_level} now=${new Date()} />
        <${MovementList} list=${list} load=${load} none=${text('product.history.none')}
          undone=${(/** @type {{new_level: number}} */ { new_level }) => ((level.value = new_level), changed())} />
      </section>
    </div>`
}

/** @param {{product?: Product, back: string}} props */
function Title({ product, back }) {
  return html`
    <div class="wide product-title">
      <a class="back" href=${back}><${Icon} name="back" />${text('view.products')}</a>
      ${product && html`<${Initial} name=${product.description} />`}
      <div class="grow">
        <h1 tabindex="-1">${product ? html`<bdi>${product.description}</bdi>` : text('product')}</h1>
        ${product && html`<bdi class="code soft">${product.product_code}</bdi>`}
        ${product?.retired && html` <${Mark} kind="bad">${text('product.retired')}<//>`}
      </div>
      <${IconButton} icon="bad" label=${text('close')} onclick=${() => (location.hash = back)} />
    </div>`
}

/** @param {{product: Product, changed: () => void, deleted: () => void}} props */
function About({ product, changed, deleted }) {
  const isAsked = useSignal(false)
  const {
    id,
    product_code,
    description,
    category,
    unit_of_measure,
    attributes,
    created_at,
    updated_at,
    retired = false,
  } = product
  const retire = () =>
    void ask('PUT', `/api/products/${id}`, { body: { retired: !retired } }).then(
      () => (announce(text(retired ? 'product.sold' : 'product.retire.done', { product: description })), changed()),
      (error) => announce(errorText(error), 'bad'),
    )
  const fields = Object.entries({
    [text('product.category')]: category || '–',
    [text('product.unit_of_measure')]: unit_of_measure,
    ...attributes,
  })
  return html`
    <section class="card" aria-label=${text('product')}>
      <${SymbolPicture} key=${product_code} code=${product_code} />
      <div class="row">
        <a class="button" href=${`#labels?products=${id}`}><${Icon} name="print" />${text('scan.print')}</a>
        <${Button} onclick=${() => changeProduct(product, changed)}>${text('product.change')}<//>
        <${Button} onclick=${retire}>${text(retired ? 'product.sell' : 'product.retire')}<//>
      </div>
      <dl class="fields">
        ${fields.map(([name, value]) => html`<div key=${name}><dt><bdi>${name}</bdi></dt><dd><bdi>${value}</bdi></dd></div>`)}
      </dl>
      <div class="row apart">
        <p class="soft dates">
          <span>${text('product.created', { time: moment(created_at) })}</span>${' '}
          <span>${text('product.edited', { time: moment(updated_at) })}</span>
        </p>
        <${Button} kind="danger" onclick=${() => (isAsked.value = true)}>${text('product.delete')}<//>
      </div>
      ${
        isAsked.value &&
        html`
        <${DeleteQuestion} products=${[product]} closed=${() => (isAsked.value = false)}
          deleted=${(/** @type {readonly Product[]} */ kept) => void (kept.length === 0 && deleted())} />`
      }
    </section>`
}
