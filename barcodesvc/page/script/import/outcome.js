/** What happens, or happened, to the rows of a spreadsheet: the counts, the first rows, and those with errors. */

import { number } from '../formats.js'
import { text } from '../language.js'
import { Button, html, Mark, useSignal } from '../ui.js'
import { fieldName } from './choices.js'

/** @typedef {import('./importing.js').Result} Result */
/** @typedef {import('../types.js').Children} Children */

/**
 * The counts, those that are not zero.
 *
 * @param {{result: Result, tense: 'will' | 'did'}} props
 */
export function Counts({ result: { imported, updated = 0, skipped, errors_count: errors }, tense }) {
  const all = /** @type {[string, number, string][]} */ ([
    ['imported', imported, 'good'],
    ['updated', updated, 'good'],
    ['skipped', skipped, ''],
    ['errors', errors, 'bad'],
  ])
  const there = all.filter(([name, count]) => count > 0 || name === 'imported')
  return html`
    <ul class="row counts">
      ${there.map(([name, count, kind]) => html`<li key=${name}><${Mark} kind=${kind}>${text(`import.${tense}.${name}`, { count })}<//></li>`)}
    </ul>`
}

/**
 * The first rows as the catalogue would store them; of products that exist, the level before, in the file and after.
 *
 * @param {{rows: import('./importing.js').PreviewRow[]}} props
 */
export function FirstRows({ rows }) {
  if (!rows.length) return null
  const hasAttributes = rows.some(({ attributes }) => Object.keys(attributes).length > 0)
  const hasLevels = rows.some(({ old_level: before }) => before !== null)
  const levels = hasLevels ? ['level.was', 'level.given', 'level.becomes'] : ['field.current_level']
  const titles = [
    'row',
    'field.product_code',
    'field.description',
    ...levels,
    'field.category',
    'field.unit_of_measure',
    'field.minimum_level',
    ...(hasAttributes ? ['attributes'] : []),
    'outcome',
  ]
  const cells = rows.map((row) => [
    number(row.row),
    html`<bdi class="code">${row.product_code}</bdi>`,
    html`<bdi>${row.description}</bdi>`,
    ...(hasLevels ? [row.old_level, row.given_level, row.current_level] : [row.current_level]).map(numberOrNone),
    html`<bdi>${row.category}</bdi>`,
    html`<bdi>${row.unit_of_measure}</bdi>`,
    number(row.minimum_level),
    ...(hasAttributes ? [html`<${Attributes} of=${row.attributes} />`] : []),
    text(`import.outcome.${row.outcome}`),
  ])
  return html`<h3>${text('import.first')}</h3><${Table} label=${text('import.first')} titles=${titles} rows=${cells} />`
}

/** @param {number | null} level */
function numberOrNone(level) {
  return level === null ? '–' : number(level)
}

/** @param {{of: Record<string, string>}} props */
function Attributes({ of }) {
  return html`<ul>${Object.entries(of).map(([name, value]) => html`<li key=${name}><bdi>${name}: ${value}</bdi></li>`)}</ul>`
}

/**
 * The rows with errors and their reasons; `download` saves them as a spreadsheet to correct.
 *
 * @param {{result: Result, download: () => Promise<void>}} props
 */
export function WrongRows({ result: { errors, errors_count: count }, download }) {
  const isLoading = useSignal(false)
  if (!errors.length) return null
  const press = async () => {
    isLoading.value = true
    await download()
    isLoading.value = false
  }
  return html`
    <${Rows} name="wrong" title=${text('import.wrong', { count })} listed=${errors} count=${count}>
      <div class="row">
        <${Button} icon="download" disabled=${isLoading} onclick=${() => void press()}>${text('import.wrong.download', { count: errors.length })}<//>
        <span class="soft">${text('import.wrong.how')}</span>
      </div>
    <//>`
}

/**
 * The rows that are imported although something in them could not be read.
 *
 * @param {{result: Result}} props
 */
export function WarnedRows({ result: { warnings = [], warnings_count: all = 0 } }) {
  const cells = warnings.filter(({ problems }) => !problems.some(isOfEncoding))
  if (!cells.length) return null
  const count = all - (warnings.length - cells.length)
  return html`<${Rows} name="warned" title=${text('import.warned', { count })} listed=${cells} count=${count} />`
}

/** Whether the encoding of the file is a guess. @param {Result} result */
export function isGuess({ warnings = [] }) {
  return warnings.some(({ problems }) => problems.some(isOfEncoding))
}

/** @param {import('./importing.js').WrongCell} problem */
function isOfEncoding({ rule }) {
  return rule === 'encoding'
}

/**
 * @param {{name: string, title: string, listed: import('./importing.js').WrongRow[], count: number, children?: Children}} props `count` is that
 * of all
 */
function Rows({ name, title, listed, count, children }) {
  const rows = listed.flatMap(({ row, product_code: code, description, error, problems }) => {
    const product = [number(row), html`<bdi class="code">${code}</bdi>`, html`<bdi>${description}</bdi>`]
    return problems.length ? problems.map((each) => [...product, ...cellsOf(each)]) : [[...product, '', '', error]]
  })
  const titles = ['row', 'field.product_code', 'field.description', 'column', 'value', 'reason']
  return html`
    <section class="stack ${name}">
      <h3>${title}</h3>
      ${count > listed.length && html`<p class="soft">${text('import.wrong.first', { count: listed.length })}</p>`}
      ${children}
      <${Table} label=${title} titles=${titles} rows=${rows} />
    </section>`
}

/** @param {import('./importing.js').WrongCell} problem */
function cellsOf({ column, value, rule, message, first_row: row }) {
  const field = column === 'attributes' ? text('attribute.all') : fieldName(column)
  const reason = text(`import.rule.${rule}`, { row: row ?? '' }, message)
  return [html`<bdi>${field}</bdi>`, html`<bdi>${String(value ?? '')}</bdi>`, reason]
}

/** @param {{label: string, titles: string[], rows: Children[][]}} props */
function Table({ label, titles, rows }) {
  const nameOf = (/** @type {string} */ title) => text(title === 'attributes' ? 'attribute.all' : `import.${title}`)
  return html`
    <div class="table tall" tabindex="0" role="region" aria-label=${label}>
      <table>
        <thead><tr>${titles.map((title) => html`<th key=${title} scope="col">${nameOf(title)}</th>`)}</tr></thead>
        <tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
      </table>
    </div>`
}
