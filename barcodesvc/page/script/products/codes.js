/** The codes of a product: its own, which its labels carry, and further ones, each perhaps of a pack. */

import { ask } from '../api.js'
import { text } from '../language.js'
import { announce, Confirm } from '../in_front.js'
import { Button, errorText, Failure, html, IconButton, useRequest, useSignal } from '../ui.js'
import { addCode, askForCode } from './code_dialog.js'

/** @typedef {import('../types.js').Product} Product */
/** @typedef {import('../types.js').ProductCode} ProductCode */

/** The service's note on a code that was the product's own. */
const FORMER = 'former code'

/** `changed` is called after the product has got or lost a code. @param {{product: Product, changed: () => void}} props */
export function Codes({ product: { id, product_code, updated_at }, changed }) {
  const asked = useSignal(/** @type {ProductCode | null} */ (null))
  const path = `/api/products/${id}`
  const { data, error, again } = useRequest((signal) => ask('GET', `${path}/codes`, { signal }), [updated_at])
  const codes = /** @type {ProductCode[]} */ (data ?? [])
  const add = () =>
    askForCode({
      title: text('code.add'),
      names: ['product_code', 'pack_quantity', 'note'],
      send: (given) => addCode(id, given).then(changed),
    })
  const change = () =>
    askForCode({
      title: text('product.other-code'),
      says: text('code.change.why', { code: product_code }),
      names: ['product_code'],
      send: ({ code }) => ask('PUT', path, { body: { product_code: code } }).then(changed),
    })
  const { value: unwanted } = asked
  const remove = (/** @type {ProductCode} */ { id: its, code }) =>
    void ask('DELETE', `${path}/codes/${its}`).then(
      () => (announce(text('code.removed', { code })), changed()),
      (why) => announce(errorText(why), 'bad'),
    )
  const about = (/** @type {ProductCode} */ { pack_quantity: count, note }) =>
    [count > 1 && text('code.pack', { count }), note === FORMER ? text('code.former') : note]
      .filter(Boolean)
      .join(' · ')
  return html`
    <section class="card codes" aria-label=${text('code.all')}>
      <h2>${text('code.all')}</h2>
      <ul>
        <li class="row apart">
          <bdi class="code">${product_code}</bdi><${Button} kind="text" onclick=${change}>${text('product.other-code')}<//>
        </li>
        ${codes.map(
          (each) => html`
            <li key=${each.id} class="row apart">
              <span><bdi class="code">${each.code}</bdi>${' '}<bdi class="second">${about(each)}</bdi></span>
              <${IconButton} icon="bad" label=${text('remove', { name: each.code })} onclick=${() => (asked.value = each)} />
            </li>`,
        )}
      </ul>
      ${error && html`<${Failure} error=${error} again=${again} />`}
      <div><${Button} icon="add" onclick=${add}>${text('code.add')}<//></div>
      ${
        unwanted &&
        html`
        <${Confirm} title=${text('code.remove', { code: unwanted.code })} action=${text('code.remove.do')}
          closed=${() => (asked.value = null)} confirmed=${() => remove(unwanted)}>
          <p>${text('code.remove.what')}</p>
        <//>`
      }
    </section>`
}
