/** The scans that named no product, newest first, to work off: each is a code of a product, a new product, or deleted. */

import { ask, envelope } from '../api.js'
import { moment } from '../formats.js'
import { announce, Confirm } from '../in_front.js'
import { text } from '../language.js'
import { Pager } from '../lists.js'
import { scanOpener } from '../open_scanned.js'
import { Button, errorText, Failure, html, Icon, IconButton, Loading, useRequest, useSignal, viewOf } from '../ui.js'
import { giveCode } from './code_dialog.js'
import { newProduct } from './form.js'

/** @typedef {import('../types.js').UnknownScan} UnknownScan */

const PATH = '/api/scans/unknown'

/** Scans of one page. */
const PAGE = 50

/** @returns {import('../router.js').View} */
export function openUnknown() {
  const ended = new AbortController()
  return viewOf(html`<${Unknown} />`, {
    title: text('unknown'),
    scan: scanOpener(ended.signal),
    close: () => ended.abort(),
  })
}

function Unknown() {
  const [page, isAsked] = [useSignal(1), useSignal(false)]
  const query = { page: page.value, limit: PAGE }
  const { data, error, again } = useRequest((signal) => envelope('GET', PATH, { query, signal }), [page.value])
  const scans = /** @type {UnknownScan[]} */ (data?.data ?? [])
  const remove = (/** @type {string} */ path) =>
    void ask('DELETE', path).then(again, (why) => (announce(errorText(why), 'bad'), again()))
  const row = (/** @type {UnknownScan} */ { id, text: scanned, count, last_seen, new_product: known }) => {
    const path = `${PATH}/${id}`
    const code = known?.['product_code'] ?? ''
    const assign = () =>
      giveCode(code, again, ({ pack_quantity }, product) =>
        ask('POST', `${path}/assign`, { body: { product_id: product.id, pack_quantity } }),
      )
    return html`
      <li key=${id} class="row apart">
        <div class="grow">
          <bdi class="code short">${scanned}</bdi>
          <span class="second">${text('unknown.seen', { count })} · ${moment(last_seen)}</span>
        </div>
        ${
          code &&
          html`
          <div class="row">
            <${Button} onclick=${assign}>${text('code.of')}<//>
            <${Button} onclick=${() => newProduct(known ?? {}, () => remove(path))}>${text('scan.create')}<//>
          </div>`
        }
        <${IconButton} icon="bad" label=${text('remove', { name: scanned })} onclick=${() => remove(path)} />
      </li>`
  }
  return html`
    <div class="view unknown">
      <a class="back" href="#products"><${Icon} name="back" />${text('view.products')}</a>
      <div class="row apart">
        <h1>${text('unknown')}</h1>
        ${scans.length > 0 && html`<${Button} kind="danger" onclick=${() => (isAsked.value = true)}>${text('unknown.delete')}<//>`}
      </div>
      <section class="card">
        <p class="soft">${text('unknown.why')}</p>
        ${error ? html`<${Failure} error=${error} again=${again} />` : !data && html`<${Loading} />`}
        ${data && !error && !scans.length && html`<p role="status">${text('unknown.none')}</p>`}
        <ul class="scans">${scans.map(row)}</ul>
        <${Pager} place=${data?.pagination} go=${(/** @type {number} */ wanted) => (page.value = wanted)} />
      </section>
      ${
        isAsked.value &&
        html`
        <${Confirm} title=${text('unknown.delete.title', { count: data?.pagination.total ?? 0 })} action=${text('unknown.delete')}
          closed=${() => (isAsked.value = false)} confirmed=${() => remove(PATH)} />`
      }
    </div>`
}
