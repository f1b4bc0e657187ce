/** What a person chooses for a file: its encoding, what happens to products that exist, which column is which field, the sheet. */

import { text } from '../language.js'
import { attributeName } from '../products/attributes.js'
import { Button, html, Select, useRef, useSignal } from '../ui.js'

/** @import {ImportPreview, ImportWanted} from '../types.js' */
/** @import {Choose} from './panel.js' */
/** @typedef {Record<string, string>} Columns the field of each header */

/** The fields that a column can be, in the order of the choice; every product needs the first two. */
const NEEDED = ['product_code', 'description']
const OTHERS = ['category', 'unit_of_measure', 'current_level', 'minimum_level', 'maximum_level', 'other_codes']
const FIELDS = [...NEEDED, ...OTHERS]

const ATTRIBUTE = 'attributes.'

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

/** The choices for a file whose columns are known. Another encoding or sheet has other columns. @param {{wanted: ImportWanted, isGuess: boolean, preview: ImportPreview, headers: string[], choose: Choose}} props */
export function Choices({ wanted, isGuess, preview, headers, choose }) {
  const { encoding, ignored, sheet, columns } = preview
  const isOpen = useRef(ignored.length > 0)
  const takeSheet = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) =>
    choose({ sheet: currentTarget.value.trim(), map: null })
  return html`
    ${encoding && html`<${Encoding} assumed=${wanted.encoding || encoding} isGuess=${isGuess} choose=${choose} />`}
    <fieldset>
      <legend>${text('import.existing')}</legend>
      ${
        /** @type {const} */ (['skip', 'update', 'count', 'receive']).map(
          (mode) => html`
          <label key=${mode} class="check">
            <input type="radio" name="existing" value=${mode} checked=${mode === wanted.mode} onchange=${() => choose({ mode })} />
            <span>${text(`import.mode.${mode}`)}</span>
          </label>`,
        )
      }
    </fieldset>
    <details open=${isOpen.current}>
      <summary>${text('import.columns', { sheet })}</summary>
      <div class="stack">
        <p class="soft">${text('import.columns.how')}</p>
        <${ColumnFields} headers=${headers} map=${wanted.map ?? columns} choose=${(/** @type {Columns} */ map) => choose({ map })} />
        <label class="sheet-title">${text('import.sheet')}
          <input type="text" maxlength="255" value=${wanted.sheet || sheet} onchange=${takeSheet} />
        </label>
      </div>
    </details>`
}

/** The encoding of a text file: which one was assumed, if it can be read, and others, in case letters look wrong. @param {{assumed: string, isGuess: boolean, choose: Choose}} props */
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

/** A choice for each column: the field that it is, or an attribute named after it. No field comes from two columns. @param {{headers: string[], map: Columns, choose: (map: Columns) => void}} props */
function ColumnFields({ headers, map, choose }) {
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

/** Asks which of the columns that were not recognised is which field. @param {{headers: string[], makesCodes: boolean, choose: Choose}} props */
export function ColumnQuestion({ headers, makesCodes, choose }) {
  const map = useSignal(/** @type {Columns} */ ({}))
  const isEnough = NEEDED.slice(makesCodes ? 1 : 0).every((field) => Object.values(map.value).includes(field))
  const submit = (/** @type {Event} */ event) => (event.preventDefault(), choose({ map: map.value }))
  return html`
    <form class="stack" onsubmit=${submit}>
      <${ColumnFields} headers=${headers} map=${map.value} choose=${(/** @type {Columns} */ chosen) => void (map.value = chosen)} />
      <div class="row"><${Button} kind="main" type="submit" disabled=${!isEnough}>${text('import.look')}<//></div>
    </form>`
}
