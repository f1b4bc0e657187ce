/** What happens, or happened, to the rows of a spreadsheet: the counts, the first rows, and those with errors. */

import { number } from '../formats.js'
import { text } from '../language.js'
import { announce } from '../in_front.js'
import { Button, errorText, html, Mark } from '../ui.js'
import { fieldName } from './choices.js'
import { refusedRows } from './sending.js'

/** Milliseconds after which a browser has saved a file. */
const SAVED = 60_000

/** @typedef {import('../types.js').ImportResult} Result */
/** @typedef {import('../types.js').WrongCell} WrongCell */
/** @typedef {import('../types.js').Children} Children */

/** The counts, those that are not zero. @param {{result: Result}} props */
export function Counts({ result: { imported, updated = 0, skipped, errors_count: errors } }) {
  const all = /** @type {[string, number, string][]} */ ([
    ['imported', imported, 'good'],
    ['updated', updated, 'good'],
    ['skipped', skipped, ''],
    ['errors', errors, 'bad'],
  ])
  const there = all.filter(([name, count]) => count > 0 || name === 'imported')
  return html`
    <ul class="row counts">
      ${there.map(([name, count, kind]) => html`<li key=${name}><${Mark} kind=${kind}>${text(`import.sum.${name}`, { count })}<//></li>`)}
    </ul>`
}

/**
 * The first rows as the catalogue would store them; of products that exist, the level before, in the file and after.
 *
 * @param {{rows: import('../types.js').PreviewRow[]}} props
 */
export function FirstRows({ rows }) {
  if (!rows.length) return null
  const hasAttributes = rows.some(({ attributes }) => Object.keys(attributes).length > 0)
  const hasLevels = rows.some(({ old_level: before }) => before !== null)
  const of = (/** @type {Record<string, string>} */ attributes) =>
    html`<ul>${Object.entries(attributes).map(([name, value]) => html`<li key=${name}><bdi>${name}: ${value}</bdi></li>`)}</ul>`
  const level = (/** @type {number | null} */ value) => (value === null ? '–' : number(value))
  const titles = [
    ...['row', 'product_code', 'description'],
    ...(hasLevels ? ['level.was', 'level.given', 'level.becomes'] : ['current_level']),
    ...['category', 'unit_of_measure', 'minimum_level'],
    ...(hasAttributes ? ['attributes'] : []),
    'outcome',
  ]
  const cells = rows.map((row) => [
    number(row.row),
    html`<bdi class="code">${row.product_code}</bdi>`,
    html`<bdi>${row.description}</bdi>`,
    ...(hasLevels ? [row.old_level, row.given_level] : []).map(level),
    level(row.current_level),
    html`<bdi>${row.category}</bdi>`,
    html`<bdi>${row.unit_of_measure}</bdi>`,
    number(row.minimum_level),
    ...(hasAttributes ? [of(row.attributes)] : []),
    text(`import.outcome.${row.outcome}`),
  ])
  return html`<h3>${text('import.first')}</h3><${Table} label=${text('import.first')} titles=${titles} rows=${cells} />`
}

/**
 * The rows with errors and their reasons, and what saves them to be corrected; those that are imported although something in
 * them could not be read.
 *
 * @param {{result: Result, wanted: import('../types.js').ImportWanted}} props
 */
export function WrongRows({ result, wanted }) {
  const { errors, errors_count: count, warnings = [], warnings_count: warned = 0 } = result
  const cells = warnings.filter((row) => !isOfEncoding(row))
  const others = warned - (warnings.length - cells.length)
  const name = text('import.wrong.file', { file: wanted.file.name.replace(/\.\w+$/, '') })
  const download = () =>
    refusedRows(wanted).then(
      (file) => save(file, `${name}.xlsx`),
      (error) => announce(errorText(error), 'bad'),
    )
  return html`
    <${Rows} name="wrong" title=${text('import.sum.errors', { count })} listed=${errors} count=${count}>
      <div class="row">
        <${Button} icon="download" onclick=${() => void download()}>${text('import.wrong.download', { count: errors.length })}<//>
        <span class="soft">${text('import.wrong.how')}</span>
      </div>
    <//>
    <${Rows} name="warned" title=${text('import.warned', { count: others })} listed=${cells} count=${others} />`
}

/** @type {(file: Blob, name: string) => void} */
function save(file, name) {
  const href = URL.createObjectURL(file)
  Object.assign(document.createElement('a'), { href, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(href), SAVED)
}

/** Return the rows of a spreadsheet that are not blank. @param {Result} result */
export function rowsOf({ imported, updated = 0, skipped, errors_count }) {
  return imported + updated + skipped + errors_count
}

/** Whether the encoding of the file is a guess. @param {Result} result */
export function guessesEncoding({ warnings = [] }) {
  return warnings.some(isOfEncoding)
}

/** @param {import('../types.js').WrongRow} row */
function isOfEncoding({ problems }) {
  return problems.some(({ rule }) => rule === 'encoding')
}

/** `count` is that of all. @param {{name: string, title: string, listed: import('../types.js').WrongRow[], count: number, children?: Children}} props */
function Rows({ name, title, listed, count, children }) {
  if (!listed.length) return null
  const rows = listed.flatMap(({ row, product_code: code, description, error, problems }) => {
    const product = [number(row), html`<bdi class="code">${code}</bdi>`, html`<bdi>${description}</bdi>`]
    return problems.length ? problems.map((each) => [...product, ...cellsOf(each)]) : [[...product, '', '', error]]
  })
  const titles = ['row', 'product_code', 'description', 'column', 'value', 'reason']
  return html`
    <section class="stack ${name}">
      <h3>${title}</h3>
      ${count > listed.length && html`<p class="soft">${text('import.wrong.first', { count: listed.length })}</p>`}
      ${children}
      <${Table} label=${title} titles=${titles} rows=${rows} />
    </section>`
}

/** @param {WrongCell} problem */
function cellsOf({ column, value, rule, message, first_row: row }) {
  const reason = text(`import.rule.${rule}`, { row: row ?? '' }, message)
  return [html`<bdi>${titleOf(column)}</bdi>`, html`<bdi>${String(value ?? '')}</bdi>`, reason]
}

/** Return what a column is called: one of the table, or the field of a product. @param {string} column */
function titleOf(column) {
  return column === 'attributes'
    ? text('attribute.all')
    : text(`import.${column}`, {}, text(`product.${column}`, {}, fieldName(column)))
}

/** @param {{label: string, titles: string[], rows: Children[][]}} props */
function Table({ label, titles, rows }) {
  return html`
    <div class="table tall" tabindex="0" role="region" aria-label=${label}>
      <table>
        <thead><tr>${titles.map((title) => html`<th key=${title} scope="col">${titleOf(title)}</th>`)}</tr></thead>
        <tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
      </table>
    </div>`
}
