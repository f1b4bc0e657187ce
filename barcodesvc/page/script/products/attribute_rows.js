/** The attributes in the form of a product: a row for each, with its name and its text. */

import { text } from '../language.js'
import { LIMITS } from '../api.js'
import { Button, html, IconButton, useLayoutEffect, useRef, useSignal } from '../ui.js'

/** @typedef {{id: number, name: string, value: string}} Row */
/** @typedef {{currentTarget: HTMLInputElement}} Typed */

/**
 * The rows of stored attributes.
 *
 * @param {Record<string, string>} known
 * @returns {readonly Row[]}
 */
export function rowsOf(known) {
  return Object.entries(known).map(([name, value], id) => ({ id, name, value }))
}

/**
 * `wrong` is the index of a row that cannot be stored, or -1.
 *
 * @param {{rows: import('../types.js').Signal<readonly Row[]>, wrong: number}} props
 */
export function AttributeRows({ rows, wrong }) {
  const node = useRef(/** @type {HTMLElement | null} */ (null))
  const focused = useSignal(-1)
  useLayoutEffect(() => {
    if (focused.value < 0) return
    const names = node.current?.querySelectorAll('input[name=attribute]')
    const target = names?.[Math.min(focused.value, names.length - 1)] ?? node.current?.querySelector('button')
    if (target instanceof HTMLElement) target.focus()
    focused.value = -1
  }, [focused.value])
  useLayoutEffect(() => void (focused.value = wrong), [wrong])
  const set = (/** @type {Row} */ row, /** @type {Partial<Row>} */ change) =>
    void (rows.value = rows.value.map((each) => (each.id === row.id ? { ...each, ...change } : each)))
  const add = () => {
    focused.value = rows.value.length
    rows.value = [...rows.value, { id: Math.max(-1, ...rows.value.map(({ id }) => id)) + 1, name: '', value: '' }]
  }
  const remove = (/** @type {Row} */ row) => {
    focused.value = rows.value.indexOf(row)
    rows.value = rows.value.filter((each) => each !== row)
  }
  const says = text('attribute.name')
  const names = {
    type: 'text',
    name: 'attribute',
    autocomplete: 'off',
    maxlength: 100,
    placeholder: says,
    'aria-label': says,
  }
  const values = {
    type: 'text',
    autocomplete: 'off',
    maxlength: LIMITS.attributes.value,
    placeholder: text('attribute.value'),
  }
  return html`
    <fieldset ref=${node}>
      <legend>${text('attribute.all')}</legend>
      <div class="attribute-rows">
        ${rows.value.map(
          (row, index) => html`
          <div key=${row.id} class="attribute">
            <input ...${names} value=${row.name} aria-invalid=${index === wrong ? 'true' : undefined}
              oninput=${(/** @type {Typed} */ { currentTarget }) => set(row, { name: currentTarget.value })} />
            <input ...${values} value=${row.value} aria-label=${text('attribute.value.of', { name: row.name })}
              oninput=${(/** @type {Typed} */ { currentTarget }) => set(row, { value: currentTarget.value })} />
            <${IconButton} icon="bad" label=${text('attribute.remove', { name: row.name })} onclick=${() => remove(row)} />
          </div>`,
        )}
      </div>
      ${rows.value.length < LIMITS.attributes.most && html`<${Button} kind="text" icon="add" onclick=${add}>${text('attribute.add')}<//>`}
    </fieldset>`
}
