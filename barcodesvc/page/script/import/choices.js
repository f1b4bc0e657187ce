/** What a person chooses for a file: its encoding, what happens to products that exist, which column is which field, the sheet. */

import { text } from '../language.js'
import { attributeName } from '../products/attributes.js'
import { Button, html, Select, useSignal } from '../ui.js'

/** @typedef {import('./importing.js').Wanted} Wanted */

/** The fields that a column can be, in the order of the choice; every product needs the first two. */
const FIELDS = [
  'product_code',
  'description',
  'category',
  'unit_of_measure',
  'current_level',
  'minimum_level',
  'maximum_level',
]
const NEEDED = FIELDS.slice(0, 2)

/** How the field of an attribute begins; its name follows. */
const ATTRIBUTE = 'attributes.'

/** What can happen to products that exist already; leaving them alone is first. */
const MODES = /** @type {const} */ (['skip', 'update', 'count', 'receive'])

/** Encodings that programs write, by the names of the service; the most usual ones first. */
const ENCODINGS =
  'utf-8 windows-1252 windows-1250 windows-1251 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 iso-8859-2 iso-8859-15 koi8-r cp437 cp850 cp852 cp866 macintosh shift_jis euc-jp gbk gb18030 big5 euc-kr utf-16'.split(
    ' ',
  )

/** Return what a field is called, as the service names it. @param {string} field */
export function fieldName(field) {
  if (FIELDS.includes(field)) return text(`product.${field}`)
  return field.startsWith(ATTRIBUTE) ? text('import.field.attribute', { name: field.slice(ATTRIBUTE.length) }) : field
}

/**
 * The choices for a file whose columns are known. Another encoding or sheet has other columns.
 *
 * @param {{wanted: Wanted, preview: import('./importing.js').Preview, headers: string[], isGuess: boolean, choose: (changed: Partial<Wanted>) => void}} props
 */
export function Choices({ wanted, preview, headers, isGuess, choose }) {
  const { encoding = '', ignored, sheet } = preview
  const isOpen = useSignal(ignored.length > 0)
  const map = wanted.map ?? preview.columns
  return html`
    ${encoding && html`<${Encoding} assumed=${wanted.encoding || encoding} isGuess=${isGuess} choose=${choose} />`}
    <fieldset>
      <legend>${text('import.existing')}</legend>
      ${MODES.map(
        (mode) => html`
          <label key=${mode} class="check">
            <input type="radio" name="existing" value=${mode} checked=${mode === wanted.mode} onchange=${() => choose({ mode })} />
            <span>${text(`import.mode.${mode}`)}</span>
          </label>`,
      )}
    </fieldset>
    <details open=${isOpen.value} ontoggle=${(/** @type {{currentTarget: HTMLDetailsElement}} */ { currentTarget }) => void (isOpen.value = currentTarget.open)}>
      <summary>${text('import.columns', { sheet })}</summary>
      <div class="stack">
        <p class="soft">${text('import.columns.how')}</p>
        <${Columns} headers=${headers} map=${map} choose=${(/** @type {Record<string, string>} */ chosen) => choose({ map: chosen })} />
        <label class="sheet-title">${text('import.sheet')}
          <input type="text" maxlength="255" value=${wanted.sheet || sheet}
            onchange=${(/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) => choose({ sheet: currentTarget.value.trim(), map: null })} />
        </label>
      </div>
    </details>`
}

/**
 * The encoding of a text file: which one was assumed, and others to choose if the preview shows wrong letters. Nothing is
 * assumed of a file that cannot be read.
 *
 * @param {{assumed: string, isGuess: boolean, choose: (changed: Partial<Wanted>) => void}} props
 */
export function Encoding({ assumed, isGuess, choose }) {
  const plain = (/** @type {string} */ name) => name.toLowerCase().replace(/[^a-z\d]/g, '')
  const names = [assumed, ...ENCODINGS.filter((name) => plain(name) !== plain(assumed))]
  return html`
    <div>
      <p class="problem" role="status">${isGuess && text('import.encoding.guess', { encoding: assumed })}</p>
      <div class="sheet-title">
        <${Select} label=${text('import.encoding')} value=${assumed} options=${names.map((name) => [name, name])}
          changed=${(/** @type {string} */ encoding) => choose({ encoding, map: null })} />
      </div>
    </div>`
}

/**
 * A choice for each column: the field that it is, or an attribute named after it. No field comes from two columns.
 *
 * @param {{headers: string[], map: Record<string, string>, choose: (map: Record<string, string>) => void}} props
 */
function Columns({ headers, map, choose }) {
  const set = (/** @type {string} */ header, /** @type {string} */ field) => {
    const others = Object.entries(map).filter(([other, its]) => other !== header && its !== field)
    choose(Object.fromEntries(field ? [...others, [header, field]] : others))
  }
  return html`
    <div class="columns">
      ${headers.map((header, index) => {
        const field = map[header] ?? ''
        const own = field.startsWith(ATTRIBUTE) ? field : ATTRIBUTE + (attributeName(header) || `column_${index + 1}`)
        const options = [['', text('import.field.none')], ...[...FIELDS, own].map((name) => [name, fieldName(name)])]
        return html`
          <${Select} key=${header} label=${html`<bdi>${header}</bdi>`} value=${field} options=${options}
            changed=${(/** @type {string} */ chosen) => set(header, chosen)} />`
      })}
    </div>`
}

/**
 * Asks which of the columns that were not recognised is which field.
 *
 * @param {{headers: string[], choose: (changed: Partial<Wanted>) => void}} props
 */
export function ColumnQuestion({ headers, choose }) {
  const map = useSignal(/** @type {Record<string, string>} */ ({}))
  const isEnough = NEEDED.some((field) => Object.values(map.value).includes(field))
  const submit = (/** @type {Event} */ event) => (event.preventDefault(), choose({ map: map.value }))
  return html`
    <form class="stack" onsubmit=${submit}>
      <${Columns} headers=${headers} map=${map.value} choose=${(/** @type {Record<string, string>} */ chosen) => void (map.value = chosen)} />
      <div class="row"><${Button} kind="main" type="submit" disabled=${!isEnough}>${text('import.look')}<//></div>
    </form>`
}

/**
 * Asks for the headers of the needed columns, where the service found no row of headers.
 *
 * @param {{choose: (changed: Partial<Wanted>) => void}} props
 */
export function ColumnNames({ choose }) {
  const submit = (/** @type {Event & {currentTarget: HTMLFormElement}} */ event) => {
    event.preventDefault()
    const named = [...new FormData(event.currentTarget)].map(([field, header]) => [String(header).trim(), field])
    choose({ map: Object.fromEntries(named) })
  }
  return html`
    <form class="columns" onsubmit=${submit}>
      ${NEEDED.map(
        (name) => html`
          <label key=${name}>${text('import.header.of', { field: text(`product.${name}`) })}
            <input name=${name} required maxlength="100" />
          </label>`,
      )}
      <button class="main">${text('import.look')}</button>
    </form>`
}
