/** What happens, or happened, to the rows of a spreadsheet: the counts, the first rows, and those with errors. */

import { number } from '../formats.js'
import { text } from '../language.js'
import { announce } from '../in_front.js'
import { Button, errorText, html, Mark } from '../ui.js'
import { fieldName } from './choices.js'
import { refusedRows } from './sending.js'

/** @import {Children, ImportResult, ImportWanted, PreviewRow, WrongCell, WrongRow} from '../types.js' */

/** The columns of a table, by their names: the cell that each has of a row, or false for one that is not there. @template Row @typedef {Record<string, false | ((row: Row) => Children)>} Columns */

/** @type {Columns<PreviewRow | WrongRow>} */
const PRODUCT = {
  row: ({ row }) => number(row),
  product_code: ({ product_code: code }) => html`<bdi class="code">${code}</bdi>`,
  description: ({ description }) => html`<bdi>${description}</bdi>`,
}

/** The counts, those that are not zero. @param {{result: ImportResult}} props */
export function Counts({ result: { imported, updated = 0, skipped, errors_count: errors } }) {
  const all = Object.entries({ imported, updated, skipped, errors })
  const kinds = /** @type {Record<string, string>} */ ({ imported: 'good', updated: 'good', errors: 'bad' })
  return html`
    <ul class="row counts">
      ${all.map(
        ([name, count]) =>
          (count > 0 || name === 'imported') &&
          html`<li key=${name}><${Mark} kind=${kinds[name]}>${text(`import.sum.${name}`, { count })}<//></li>`,
      )}
    </ul>`
}

/** The first rows as the catalogue would store them; of products that exist, the level before, in the file and after. @param {{rows: PreviewRow[]}} props */
export function FirstRows({ rows }) {
  const hasLevels = rows.some(({ old_level: before }) => before !== null)
  const hasAttributes = rows.some(({ attributes }) => Object.keys(attributes).length > 0)
  const level = (/** @type {number | null} */ value) => (value === null ? '–' : number(value))
  /** @type {Columns<PreviewRow>} */
  const columns = {
    ...PRODUCT,
    'level.was': hasLevels && ((row) => level(row.old_level)),
    'level.given': hasLevels && ((row) => level(row.given_level)),
    [hasLevels ? 'level.becomes' : 'current_level']: (row) => level(row.current_level),
    category: (row) => html`<bdi>${row.category}</bdi>`,
    unit_of_measure: (row) => html`<bdi>${row.unit_of_measure}</bdi>`,
    minimum_level: (row) => number(row.minimum_level),
    attributes:
      hasAttributes &&
      (({ attributes }) =>
        html`<ul>${Object.entries(attributes).map((each) => html`<li key=${each[0]}><bdi>${each.join(': ')}</bdi></li>`)}</ul>`),
    outcome: (row) => text(`import.outcome.${row.outcome}`),
  }
  if (!rows.length) return null
  return html`<h3>${text('import.first')}</h3><${Table} label=${text('import.first')} columns=${columns} rows=${rows} />`
}

/** The rows with errors, and what saves them to be corrected; those that are imported without something that could not be read. @param {{result: ImportResult, wanted: ImportWanted}} props */
export function WrongRows({ result, wanted }) {
  const { errors, errors_count: count, warnings = [], warnings_count: warned = 0 } = result
  const cells = warnings.filter((row) => !isOfEncoding(row))
  const others = warned - (warnings.length - cells.length)
  const file = wanted.file.name.replace(/\.\w+$/, '')
  const download = async () => {
    const href = URL.createObjectURL(await refusedRows(wanted))
    const name = `${text('import.wrong.file', { file })}.xlsx`
    Object.assign(document.createElement('a'), { href, download: name }).click()
    setTimeout(() => URL.revokeObjectURL(href), 60_000) // a browser has saved it by then
  }
  const press = () => void download().catch((error) => announce(errorText(error), 'bad'))
  return html`
    <${Rows} name="wrong" title=${text('import.sum.errors', { count })} listed=${errors} count=${count}>
      <div class="row">
        <${Button} icon="download" onclick=${press}>${text('import.wrong.download', { count: errors.length })}<//>
        <span class="soft">${text('import.wrong.how')}</span>
      </div>
    <//>
    <${Rows} name="warned" title=${text('import.warned', { count: others })} listed=${cells} count=${others} />`
}

/** Whether the encoding of the file is a guess. @param {WrongRow} warning */
export function isOfEncoding({ problems }) {
  return problems.some(({ rule }) => rule === 'encoding')
}

/** A row for each wrong cell; `count` is that of all rows. @param {{name: string, title: string, listed: WrongRow[], count: number, children?: Children}} props */
function Rows({ name, title, listed, count, children }) {
  /** @type {Columns<WrongRow & {problem: WrongCell | undefined}>} */
  const columns = {
    ...PRODUCT,
    column: ({ problem }) => html`<bdi>${titleOf(problem?.column ?? '')}</bdi>`,
    value: ({ problem }) => html`<bdi>${String(problem?.value ?? '')}</bdi>`,
    reason: ({ problem, error }) =>
      problem ? text(`import.rule.${problem.rule}`, { row: problem.first_row ?? '' }, problem.message) : error,
  }
  const rows = listed.flatMap((row) =>
    [row.problems[0], ...row.problems.slice(1)].map((problem) => ({ ...row, problem })),
  )
  if (!rows.length) return null
  return html`
    <section class="stack ${name}">
      <h3>${title}</h3>
      ${count > listed.length && html`<p class="soft">${text('import.wrong.first', { count: listed.length })}</p>`}
      ${children}
      <${Table} label=${title} columns=${columns} rows=${rows} />
    </section>`
}

/** Return what a column is called: one of the table, or the field of a product. @param {string} column */
function titleOf(column) {
  if (column === 'attributes') return text('attribute.all')
  return text(`import.${column}`, {}, text(`product.${column}`, {}, fieldName(column)))
}

/** @param {{label: string, columns: Columns<any>, rows: object[]}} props */
function Table({ label, columns, rows }) {
  const shown = Object.entries(columns).flatMap(([name, cell]) => (cell ? [{ name, cell }] : []))
  return html`
    <div class="table tall" tabindex="0" role="region" aria-label=${label}>
      <table>
        <thead><tr>${shown.map(({ name }) => html`<th key=${name} scope="col">${titleOf(name)}</th>`)}</tr></thead>
        <tbody>${rows.map((row) => html`<tr>${shown.map(({ cell }) => html`<td>${cell(row)}</td>`)}</tr>`)}</tbody>
      </table>
    </div>`
}
