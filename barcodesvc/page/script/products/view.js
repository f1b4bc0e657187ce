/**
 * The catalogue: a list, the product that is open next to it, and the import of spreadsheets. `#products/12?search=pen` is
 * one product in a list.
 *
 * Rule: one view shows list and product, so that neither loses what was typed or selected when the other changes. If the
 * screen has no room for both, styles hide the list while a product is open.
 */

import { ExportMenu } from '../export_menu.js'
import { beginImport, Import, isBusy, newImport } from '../import/panel.js'
import { requestedImport, SPREADSHEETS, TemplateLink } from '../import/start.js'
import { text } from '../language.js'
import { openScanned } from '../open_scanned.js'
import { Button, FileButton, html, signal, useEffect, useLayoutEffect, useRef, useSignal, viewOf } from '../ui.js'
import { newProduct } from './form.js'
import { ProductList } from './list.js'
import { ProductPage } from './product.js'
import { addressOf, readQuery } from './query.js'
import { NONE } from './selection.js'

/** Screens with room for a list and a product; the same in style/products.css. */
const WIDE = '(min-width: 75rem)'

/**
 * @param {import('../router.js').Route} route
 * @returns {import('../router.js').View}
 */
export function open({ path: [id = ''], query }) {
  const ended = new AbortController()
  const shown = stateOf(id, readQuery(query))
  const importing = newImport()
  const isTyped = () => shown.isImporting.value || shown.amount.value.trim() !== '' || shown.reason.value.trim() !== ''
  const scan = (/** @type {string} */ code) =>
    void openScanned(code, isTyped, ended.signal, (found) => go(shown, String(found)))
  const take = (/** @type {File} */ file) => openImport(shown, importing, file)
  const requested = requestedImport()
  if (requested) take(requested)
  return viewOf(html`<${ProductsView} shown=${shown} importing=${importing} scan=${scan} take=${take} />`, {
    title: text('view.products'),
    scan,
    take,
    follow: (next) => follow(shown, next),
    isTaking: () => isBusy(importing),
    close: () => (importing.trying.peek().abort(), ended.abort()),
  })
}

/**
 * What the view shows: the product that is open, or an empty id; what the list asks for, how often its products have changed,
 * and which are selected; whether an import is open; and what is typed for the level of the product.
 *
 * @param {string} id
 * @param {import('./query.js').ProductQuery} query
 */
function stateOf(id, query) {
  return {
    id: signal(id),
    query: signal(query),
    reloads: signal(0),
    selection: signal(NONE),
    isImporting: signal(false),
    amount: signal(''),
    reason: signal(''),
  }
}

/** @typedef {ReturnType<typeof stateOf>} Shown */

/**
 * Show what another address names, in the same view.
 *
 * @param {Shown} shown
 * @param {import('../router.js').Route} route
 */
function follow(shown, { path: [id = ''], query }) {
  if (id !== shown.id.value) shown.amount.value = shown.reason.value = ''
  shown.id.value = id
  const wanted = readQuery(query)
  if (addressOf(wanted) !== addressOf(shown.query.value)) shown.query.value = wanted
  return true
}

/**
 * @param {Shown} shown
 * @param {string} id empty for the list alone
 */
function go({ query }, id) {
  location.hash = addressOf(query.value, id)
}

/**
 * @param {Shown} shown
 * @param {import('../import/panel.js').Importing} importing
 * @param {File | null} [file]
 */
function openImport(shown, importing, file = null) {
  if (isBusy(importing)) return
  if (shown.id.value !== '') go(shown, '')
  beginImport(importing, file)
  shown.isImporting.value = true
}

/** @param {Shown} shown */
function closeImport({ isImporting, reloads }) {
  isImporting.value = false
  reloads.value += 1
}

/** @param {{shown: Shown, importing: import('../import/panel.js').Importing, scan: (code: string) => void, take: (file: File) => void}} props */
function ProductsView({ shown, importing, scan, take }) {
  const { id, query, reloads, selection, isImporting } = shown
  const [isWide, wasShown] = [useMedia(WIDE), useRef(false)]
  const node = usePlace(id.value, isWide)
  const isVisible = isWide || id.value === ''
  wasShown.current ||= isVisible
  const create = () => newProduct({}, (product) => (void (reloads.value += 1), go(shown, String(product.id))))
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
            <${Button} icon="upload" onclick=${() => openImport(shown, importing)}><span class="word">${text('import.title')}</span><//>
            <${ExportMenu} path="/api/products/export" />
          </div>
        </div>
        ${
          isImporting.value
            ? html`<${Import} importing=${importing} closed=${() => closeImport(shown)} />`
            : wasShown.current &&
              html`<${ProductList} ...${{ query, reloads, selection, isVisible, scan, starts }} openId=${id.value} />`
        }
      </div>
      ${
        id.value !== '' &&
        html`
        <div class="detail">
          <${ProductPage} key=${id.value} id=${id.value} list=${addressOf(query.value)} amount=${shown.amount} reason=${shown.reason}
            changed=${() => void (reloads.value += 1)} deleted=${() => (go(shown, ''), (reloads.value += 1))} />
        </div>`
      }
    </div>`
}

/**
 * Return whether the screen is like this.
 *
 * @param {string} query
 */
function useMedia(query) {
  const media = useRef(matchMedia(query))
  const isSo = useSignal(media.current.matches)
  useEffect(() => {
    const look = () => void (isSo.value = media.current.matches)
    media.current.addEventListener('change', look)
    return () => media.current.removeEventListener('change', look)
  }, [])
  return isSo.value
}

/**
 * Where only one of both is shown: begin a product at its top, and lead back to its place in the list. Returns the reference of
 * the view.
 *
 * @param {string} id
 * @param {boolean} isWide
 */
function usePlace(id, isWide) {
  const node = useRef(/** @type {HTMLElement | null} */ (null))
  const before = useRef({ id, scrolled: 0 })
  if (before.current.id === '' && id !== '') before.current.scrolled = window.scrollY
  useLayoutEffect(() => {
    const from = before.current
    before.current = { ...from, id }
    if (isWide || from.id === id) return
    window.scrollTo(0, id === '' ? from.scrolled : 0)
    const target = node.current?.querySelector(id === '' ? `[data-id="${CSS.escape(from.id)}"] a` : '.detail h1')
    if (target instanceof HTMLElement) target.focus({ preventScroll: true })
  }, [id])
  return node
}
