/**
 * The products to print, each with its number of labels.
 *
 * Rule: a typed number counts at once, so that nothing that comes meanwhile replaces it. The first digits of a scan count as
 * well until the scanner is heard, and the field has its former number again.
 */

import { text } from '../language.js'
import { Step } from '../step.js'
import { wholeNumber } from '../typed_values.js'
import { html, IconButton, Initial, useLayoutEffect, useRef, useSignal } from '../ui.js'

/** @typedef {import('../types.js').LabelItem} Item */

/**
 * @param {{selection: import('./selection.js').LabelSelection}} props
 */
export function LabelItems({ selection }) {
  const list = useRef(/** @type {HTMLElement | null} */ (null))
  const { items } = selection
  const known = useRef(items.length)
  useLayoutEffect(() => {
    // a product that is scanned is seen, even if the list is long
    if (items.length > known.current && list.current) list.current.scrollTop = list.current.scrollHeight
    known.current = items.length
  }, [items.length])
  return html`
    <ul class="items" ref=${list} aria-label=${text('labels.items')}>
      ${items.map((item) => html`<${Row} key=${item.product.id} item=${item} selection=${selection} />`)}
    </ul>`
}

/** @param {{item: Item, selection: import('./selection.js').LabelSelection}} props */
function Row({ item, selection }) {
  const { product_code: code, description } = item.product
  const step = (/** @type {number} */ by) => () => selection.setCopies(item, item.copies + by)
  return html`
    <li class="list-row item">
      <${Initial} name=${description} />
      <div>
        <bdi class="short">${description}</bdi>
        <bdi class="second code">${code}</bdi>
      </div>
      <div class="copies">
        <${Step} label=${text('labels.fewer')} sign="−" step=${step(-1)} />
        <${Copies} item=${item} set=${(/** @type {number} */ copies) => selection.setCopies(item, copies)} />
        <${Step} label=${text('labels.more')} sign="+" step=${step(1)} />
        <${IconButton} icon="bad" label=${text('labels.remove', { code })} onclick=${() => selection.remove(item)} />
      </div>
    </li>`
}

/**
 * The field for the copies: what is typed, until it is another number than what counts.
 *
 * @param {{item: Item, set: (copies: number) => void}} props
 */
function Copies({ item: { product, copies }, set }) {
  const typed = useSignal(String(copies))
  const shown = (wholeNumber(typed.value) ?? copies) === copies ? typed.value : String(copies)
  const type = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget: { value } }) => {
    typed.value = value
    const wanted = wholeNumber(value)
    if (wanted) set(wanted)
  }
  return html`
    <input type="text" inputmode="numeric" autocomplete="off" value=${shown} oninput=${type}
      aria-label=${text('labels.copies', { code: product.product_code })}
      onchange=${() => (typed.value = String(copies))} />`
}
