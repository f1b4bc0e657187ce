/**
 * The dialog about a code of a product: a further one with its pack and a note, another one instead of its own, or of which
 * product a scanned code is.
 */

import { ask, LIMITS } from '../api.js'
import { wholeNumber } from '../formats.js'
import { text } from '../language.js'
import { announce, Dialog, showDialog } from '../in_front.js'
import { resolveScan } from '../resolve_scan.js'
import { bad, good } from '../sounds.js'
import { Button, errorText, Field, html, signal, useEffect, useRef, useSignal } from '../ui.js'
import { problemsOf, toNextField } from './fields.js'
import { ProductSearch } from './search.js'

/** @typedef {{id: number, product_code: string, description: string}} Named */
/** @typedef {{code: string, pack_quantity: number, note: string}} Given */
/** What a dialog asks for: some fields, and of a `scanned` code the product. @typedef {{title: string, says?: string, scanned?: string, names: readonly string[], send: (given: Given, product: Named | null) => Promise<unknown>}} Asked */

/** The greatest lengths of the fields. @type {Record<string, number>} */
const LENGTHS = { product_code: LIMITS.code, pack_quantity: 9, note: LIMITS.short_text }

/** @param {Asked} asked */
export function askForCode(asked) {
  showDialog((close) => html`<${CodeDialog} ...${asked} closed=${close} />`)
}

/**
 * Ask of which product a scanned code is, and give it to that; `given` is called with the product, as the scan names it.
 *
 * @param {string} scanned @param {(product: any) => void} given @param {(given: Given, product: Named) => Promise<unknown>} [send]
 */
export function giveCode(
  scanned,
  given,
  send = ({ pack_quantity }, { id }) => addCode(id, { code: scanned, pack_quantity }),
) {
  askForCode({
    title: text('code.of'),
    scanned,
    names: ['pack_quantity'],
    send: async (values, product) => {
      if (!product) return
      await send(values, product)
      announce(text('code.given', { code: scanned, product: product.description }))
      given({ ...product, product_code: scanned })
    },
  })
}

/** @param {number} id of the product @param {Partial<Given>} body */
export function addCode(id, body) {
  return ask('POST', `/api/products/${id}/codes`, { body })
}

/** @param {Asked & {closed: () => void}} props */
function CodeDialog({ title, says, scanned, names, send, closed }) {
  const values = useRef({ product_code: signal(''), pack_quantity: signal('1'), note: signal('') }).current
  const [product, isSaving] = [useSignal(/** @type {Named | null} */ (null)), useSignal(false)]
  const problems = useSignal(/** @type {Record<string, string>} */ ({}))
  const pack = useRef(/** @type {HTMLInputElement | null} */ (null))
  useEffect(() => void (product.value && pack.current?.focus()), [product.value])
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault()
    const count = wholeNumber(values.pack_quantity.value)
    problems.value = count === null ? { pack_quantity: text('whole-number') } : {}
    if (count === null || isSaving.value || (scanned && !product.value)) return
    isSaving.value = true
    try {
      const given = { code: values.product_code.value, pack_quantity: count, note: values.note.value }
      await send(given, product.value)
      closed()
    } catch (error) {
      problems.value = problemsOf(error, names)
    }
    isSaving.value = false
  }
  const find = (/** @type {string} */ code) =>
    resolveScan(code, new AbortController().signal).then(
      (found) => (good(), (product.value = found)),
      (error) => (bad(), (problems.value = { other: errorText(error) })),
    )
  const kinds = /** @type {Record<string, object>} */ ({
    product_code: { 'data-takes-scans': true, autofocus: true, required: true },
    pack_quantity: { inputmode: 'numeric', field: pack },
  })
  const field = (/** @type {keyof typeof values} */ name) => html`
    <${Field} key=${name} label=${text(`product.${name}`)} name=${name} type="text" autocomplete="off" maxlength=${LENGTHS[name]}
      value=${values[name]} problem=${problems.value[name]} ...${kinds[name]} />`
  return html`
    <${Dialog} title=${title} closed=${closed}>
      <form onsubmit=${submit} onkeydown=${toNextField} novalidate>
        ${says && html`<p class="soft">${says}</p>`}
        ${scanned && html`<p class="code"><bdi>${scanned}</bdi></p>`}
        ${scanned && (product.value ? html`<${Chosen} product=${product} />` : html`<${ProductSearch} id="owners" choose=${(/** @type {Named} */ one) => (product.value = one)} scanned=${find} />`)}
        ${names.includes('product_code') && field('product_code')}
        <div class="side-by-side">${/** @type {const} */ (['pack_quantity', 'note']).map((name) => names.includes(name) && field(name))}</div>
        <p class="problem" role="alert">${problems.value['other']}</p>
        <div class="row apart">
          <${Button} kind="text" onclick=${closed}>${text('cancel')}<//>
          <button class="main" disabled=${isSaving.value || (scanned && !product.value)}>${text('save')}</button>
        </div>
      </form>
    <//>`
}

/** The product that a scanned code is given to. @param {{product: import('../types.js').Signal<Named | null>}} props */
function Chosen({ product }) {
  const { description, product_code } = product.value ?? {}
  return html`
    <div class="row apart">
      <span><bdi>${description}</bdi>${' '}<bdi class="code soft">${product_code}</bdi></span>
      <${Button} kind="text" onclick=${() => (product.value = null)}>${text('code.other-product')}<//>
    </div>`
}
