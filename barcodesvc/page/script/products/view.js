/**
 * The catalogue: a list, the product that is open next to it, and the import of spreadsheets. `#products/12?search=pen` is
 * one product in a list, `#products/unknown` the scans that named none.
 *
 * Rule: one view shows list and product, so that neither loses what was typed or selected when the other changes. If the
 * screen has no room for both, styles hide the list while a product is open.
 */

import { envelope } from '../api.js'
import { ExportMenu } from '../lists.js'
import { requested } from '../import/file_drop.js'
import { Import, newImport, TemplateLink } from '../import/panel.js'
import { SPREADSHEETS } from '../import/sending.js'
import { text } from '../language.js'
import { scanOpener } from '../open_scanned.js'
import {
  Button,
  FileButton,
  html,
  Icon,
  signal,
  useLayoutEffect,
  useRef,
  useRequest,
  useSignal,
  viewOf,
} from '../ui.js'
import { newProduct } from './form.js'
import { ProductList } from './list.js'
import { ProductPage } from './product.js'
import { addressOf, readQuery } from './query.js'
import { openUnknown } from './unknown.js'

/** @typedef {import('./query.js').ProductQuery} ProductQuery */
/** @template Value @typedef {import('../types.js').Signal<Value>} Signal */

/** Screens with room for a list and a product; the same in style/products.css. */
const WIDE = '(min-width: 75rem)'

/** @param {import('../router.js').Route} route @returns {import('../router.js').View} */
export function open({ path: [opened = ''], query: asked }) {
  if (opened === 'unknown') return openUnknown()
  const ended = new AbortController()
  const [id, query] = [signal(opened), signal(readQuery(asked))]
  const [isImporting, amount, reason] = [signal(false), signal(''), signal('')]
  const importing = newImport()
  const go = (/** @type {string} */ wanted) => void (location.hash = addressOf(query.value, wanted))
  const isTyped = () => isImporting.value || [amount, reason].some(({ value }) => value.trim())
  const openFound = (/** @type {number} */ found) => go(String(found))
  const scan = scanOpener(ended.signal, openFound, () => Boolean(isTyped()))
  const take = (/** @type {File | null} */ file) => {
    if (importing.isBusy.peek()) return
    if (id.value !== '') go('')
    importing.file.value = file
    isImporting.value = true
  }
  if (requested.peek()) take(requested.peek())
  requested.value = null
  return viewOf(html`<${ProductsView} ...${{ id, query, isImporting, amount, reason, importing, go, scan, take }} />`, {
    title: text('view.products'),
    scan,
    take,
    follow: ({ path: [next = ''], query: wanted }) => {
      if (next === 'unknown') return false
      if (next !== id.value) amount.value = reason.value = ''
      id.value = next
      query.value = readQuery(wanted)
      return true
    },
    isTaking: () => importing.isBusy.peek(),
    close: () => ended.abort(),
  })
}

/**
 * `id` is that of the product that is open, or empty; `query` is what the list asks for; `amount` and `reason` are typed for the
 * level of the product.
 *
 * @param {{id: Signal<string>, query: Signal<ProductQuery>, isImporting: Signal<boolean>, amount: Signal<string>, reason: Signal<string>, importing: import('../import/panel.js').Importing, go: (id: string) => void, scan: (code: string) => void, take: (file: File | null) => void}} props
 */
function ProductsView({ id, query, isImporting, amount, reason, importing, go, scan, take }) {
  const [reloads, selection] = [useSignal(0), useSignal(/** @type {readonly import('../types.js').Product[]} */ ([]))]
  const node = usePlace(id.value)
  const found = useRequest(
    (until) => envelope('GET', '/api/scans/unknown', { query: { limit: 1 }, signal: until }),
    [reloads.value],
  )
  const unknown = found.data?.pagination.total ?? 0
  const changed = () => void (reloads.value += 1)
  const create = () => newProduct({}, (product) => (changed(), go(String(product.id))))
  const starts = html`
    <${FileButton} accept=${SPREADSHEETS} take=${take}>${text('import.choose')}<//>
    <${Button} icon="add" onclick=${create}>${text('product.new')}<//>
    <${TemplateLink} />`
  return html`
    <div class=${id.value ? 'products with-product' : 'products'} ref=${node}>
      <div class="stack list-side">
        <div class="row apart">
          <h1>${text('view.products')}</h1>
          <div class="row product-actions">
            <${Button} kind=${isImporting.value ? '' : 'main'} icon="add" onclick=${create}>${text('product.new')}<//>
            <${Button} icon="upload" onclick=${() => take(null)}><span class="word">${text('import.title')}</span><//>
            <${ExportMenu} path="/api/products/export" />
          </div>
        </div>
        ${unknown > 0 && html`<a class="back" href="#products/unknown"><${Icon} name="scan" />${text('unknown.sum', { count: unknown })}</a>`}
        ${
          isImporting.value
            ? html`<${Import} importing=${importing} closed=${() => ((isImporting.value = false), changed())} />`
            : html`<${ProductList} ...${{ query, reloads, selection, scan, starts }} openId=${id.value} />`
        }
      </div>
      ${
        id.value !== '' &&
        html`
        <div class="detail">
          <${ProductPage} key=${id.value} id=${id.value} back=${addressOf(query.value)} ...${{ amount, reason, changed }}
            deleted=${() => (go(''), (selection.value = []), changed())} />
        </div>`
      }
    </div>`
}

/** Where only one of both is shown: begin a product at its top, and lead back to its place in the list. Returns the reference of the view. @param {string} id */
function usePlace(id) {
  const node = useRef(/** @type {HTMLElement | null} */ (null))
  const before = useRef({ id, scrolled: 0 })
  if (before.current.id === '' && id !== '') before.current.scrolled = window.scrollY
  useLayoutEffect(() => {
    const from = before.current
    before.current = { ...from, id }
    if (from.id === id || matchMedia(WIDE).matches) return
    window.scrollTo(0, id === '' ? from.scrolled : 0)
    const target = node.current?.querySelector(id === '' ? `[data-id="${CSS.escape(from.id)}"] a` : '.detail h1')
    if (target instanceof HTMLElement) target.focus({ preventScroll: true })
  }, [id])
  return node
}
