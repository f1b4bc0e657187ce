/**
 * The products whose labels are to be printed, with their copies. They stay while another view is open, and when the page
 * is loaded again.
 *
 * Rule: what is chosen after a print begins a new selection. Other numbers of copies do not: they are for the same products.
 * A typed number counts at once, so that nothing that comes meanwhile replaces it. The first digits of a scan count as well
 * until the scanner is heard, and the field has its former number again.
 */

import { ask, LIMITS } from '../api.js'
import { text } from '../language.js'
import { keptValue } from '../settings.js'
import { Step } from '../step.js'
import { boundsOf, dayOf, wholeNumber } from '../formats.js'
import { announce } from '../in_front.js'
import {
  Button,
  errorText,
  html,
  IconButton,
  Initial,
  Mark,
  signal,
  useLayoutEffect,
  useRef,
  useSignal,
} from '../ui.js'

/** @import {LabelItem, Movement, Product as StoredProduct} from '../types.js' */

/** @typedef {{id: number, product_code: string, description: string, attributes?: object, retired?: boolean}} Product */

/** Return what is chosen, as it is kept. @param {{read: () => unknown, store: (value: unknown) => void}} kept */
export function selectionIn(kept) {
  const chosen = signal(/** @type {{items: LabelItem[], isPrinted: boolean}} */ (kept.read() ?? { items: [] }))
  const set = (/** @type {LabelItem[]} */ items, isPrinted = false) => {
    chosen.value = { items, isPrinted }
    kept.store(chosen.value)
  }
  const selection = {
    get items() {
      return chosen.value.items
    },
    get count() {
      return selection.items.reduce((total, { copies }) => total + copies, 0)
    },
    /** The names of the attributes that the products have. */
    get attributes() {
      return [...new Set(selection.items.flatMap(({ product }) => product.attributes))]
    },
    /** Whether the next product begins a new selection. */
    get isPrinted() {
      return chosen.value.isPrinted && selection.items.length > 0
    },
    /** Add a product with one label, or one more label of it. @param {Product} product */
    add(product) {
      const present = !selection.isPrinted && selection.items.find((item) => item.product.id === product.id)
      if (present) selection.setCopies(present, present.copies + 1)
      else selection.choose([product])
    },
    /** Choose these products, with one label of each that is not chosen yet. @param {Product[]} products */
    choose(products) {
      const items = selection.isPrinted ? [] : [...selection.items]
      for (const { id, product_code, description, attributes = {}, retired = false } of products) {
        const product = {
          id,
          product_code,
          description,
          attributes: Object.keys(attributes),
          ...(retired && { retired }),
        }
        if (!items.some((item) => item.product.id === id)) items.push({ product, copies: 1 })
      }
      set(items)
    },
    /** @type {(item: LabelItem, copies: number) => void} */
    setCopies({ product: { id } }, copies) {
      const wanted = Math.min(LIMITS.labels, Math.max(1, copies))
      set(selection.items.map((item) => (item.product.id === id ? { ...item, copies: wanted } : item)))
    },
    /** Set the copies of all products; one that has none is removed. @param {Map<number, number>} counts by their ids */
    setAll(counts) {
      const items = selection.items.map((item) => ({ ...item, copies: counts.get(item.product.id) ?? 0 }))
      set(
        items
          .filter(({ copies }) => copies > 0)
          .map((item) => ({ ...item, copies: Math.min(LIMITS.labels, item.copies) })),
      )
    },
    /** @param {LabelItem} item */
    remove: ({ product: { id } }) => set(selection.items.filter((item) => item.product.id !== id)),
    clear: () => set([]),
    /** @param {boolean} isPrinted */
    markPrinted: (isPrinted) => set(selection.items, isPrinted),
  }
  return selection
}

/** The selection of this tab. */
export const selection = selectionIn(keptValue('sessionStorage', 'barcodesvc.labels'))

/** The products to print, each with its number of labels. */
export function LabelItems() {
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
      ${items.map((item) => html`<${Row} key=${item.product.id} item=${item} />`)}
    </ul>`
}

/** A product and its copies; the field has what is typed, until that is another number than what counts. @param {{item: LabelItem}} props */
function Row({ item }) {
  const { copies, product } = item
  const { product_code: code, description } = product
  const typed = useSignal(String(copies))
  const shown = (wholeNumber(typed.value) ?? copies) === copies ? typed.value : String(copies)
  const step = (/** @type {number} */ by) => () => selection.setCopies(item, copies + by)
  const type = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget: { value } }) => {
    typed.value = value
    const wanted = wholeNumber(value)
    if (wanted) selection.setCopies(item, wanted)
  }
  return html`
    <li class="list-row item">
      <${Initial} name=${description} />
      <div>
        <bdi class="short">${description}</bdi>
        <bdi class="second code">${code}</bdi>${product.retired && html` <${Mark} kind="bad">${text('product.retired')}<//>`}
      </div>
      <div class="copies">
        <${Step} label=${text('labels.fewer')} sign="−" step=${step(-1)} />
        <input type="text" inputmode="numeric" autocomplete="off" aria-label=${text('labels.copies', { code })}
          value=${shown} oninput=${type} onchange=${() => (typed.value = String(copies))} />
        <${Step} label=${text('labels.more')} sign="+" step=${step(1)} />
        <${IconButton} icon="bad" label=${text('remove', { name: code })} onclick=${() => selection.remove(item)} />
      </div>
    </li>`
}

/** What sets the copies of all products: as many as in stock, or as were added today. */
export function CopiesAs() {
  const set = async (/** @type {() => Promise<Map<number, number>>} */ count) => {
    const before = selection.items.length
    try {
      selection.setAll(await count())
    } catch (error) {
      return announce(errorText(error), 'bad')
    }
    const gone = before - selection.items.length
    if (gone) announce(text('labels.copies.gone', { count: gone }), 'wait')
  }
  return html`
    <div class="row" role="group" aria-label=${text('labels.copies.as')}>
      <span class="soft">${text('labels.copies.as')}</span>
      <${Button} onclick=${() => void set(inStock)}>${text('labels.copies.stock')}<//>
      <${Button} onclick=${() => void set(addedToday)}>${text('labels.copies.added')}<//>
    </div>`
}

/** @returns {Promise<Map<number, number>>} the levels of the products */
async function inStock() {
  const ids = selection.items.map(({ product }) => product.id).slice(0, LIMITS.ids)
  const query = { ids: ids.join(), limit: ids.length, include_levels: true }
  const products = /** @type {StoredProduct[]} */ (await ask('GET', '/api/products', { query }))
  return new Map(products.map(({ id, current_level }) => [id, current_level]))
}

/** @returns {Promise<Map<number, number>>} */
async function addedToday() {
  const query = { from_date: boundsOf(dayOf(new Date())).begin, limit: LIMITS.movements }
  return addedBy(await ask('GET', '/api/inventory/changes', { query }))
}

/** Return how many pieces movements have added, by the ids of their products; what was undone does not count. @param {readonly Movement[]} movements */
export function addedBy(movements) {
  const added = /** @type {Map<number, number>} */ (new Map())
  for (const { product_id: id, old_level, new_level, undoes, undone_by } of movements)
    if (new_level > old_level && undoes === null && undone_by === null)
      added.set(id, (added.get(id) ?? 0) + new_level - old_level)
  return added
}
