/** What happens, or happened, to the rows of a spreadsheet: the counts, the first rows, and those with errors. */

import { element } from '../dom.js'
import { number } from '../formats.js'
import { text } from '../language.js'
import { symbol } from '../symbols.js'
import { fieldName } from './columns.js'

/**
 * Return the counts, those that are not zero.
 *
 * @param {import('./importing.js').Result} result
 * @param {'will' | 'did'} tense
 */
export function counts({ imported, updated = 0, skipped, errors_count }, tense) {
  const all = /** @type {[string, number, string][]} */ ([
    ['imported', imported, 'good'],
    ['updated', updated, 'good'],
    ['skipped', skipped, ''],
    ['errors', errors_count, 'bad'],
  ])
  const there = all.filter(([name, count]) => count > 0 || name === 'imported')
  return element(
    'ul',
    { class: 'row counts' },
    ...there.map(([name, count, kind]) =>
      element('li', { class: `mark ${kind}` }, text(`import.${tense}.${name}`, { count })),
    ),
  )
}

/**
 * Return the first rows as the catalogue would store them.
 *
 * @param {import('./importing.js').PreviewRow[]} rows
 */
export function firstRows(rows) {
  const hasAttributes = rows.some(({ attributes }) => Object.keys(attributes).length > 0)
  const hasLevels = rows.some(({ old_level: before }) => before !== null)
  const titles = [
    'import.row',
    'import.field.product_code',
    'import.field.description',
    ...(hasLevels
      ? ['import.level.was', 'import.level.given', 'import.level.becomes']
      : ['import.field.current_level']),
    'import.field.category',
    'import.field.unit_of_measure',
    'import.field.minimum_level',
    ...(hasAttributes ? ['attribute.all'] : []),
    'import.outcome',
  ]
  return table(
    text('import.first'),
    titles,
    rows.map((row) => [
      number(row.row),
      isolated(row.product_code, 'code'),
      isolated(row.description),
      ...(hasLevels ? levelsOf(row) : [number(row.current_level)]),
      isolated(row.category),
      isolated(row.unit_of_measure),
      number(row.minimum_level),
      ...(hasAttributes ? [attributesOf(row)] : []),
      text(`import.outcome.${row.outcome}`),
    ]),
  )
}

/**
 * Return what the level of a row was, what the file says, and what it will be.
 *
 * @param {import('./importing.js').PreviewRow} row
 */
function levelsOf({ old_level: before, given_level: given, current_level: after }) {
  return [before, given, after].map((level) => (level === null ? '–' : number(level)))
}

/** @param {import('./importing.js').PreviewRow} row */
function attributesOf({ attributes }) {
  const all = Object.entries(attributes).map(([name, value]) => element('li', null, isolated(`${name}: ${value}`)))
  return element('ul', null, ...all)
}

/**
 * Return the rows with errors and their reasons, or null if there are none.
 *
 * @param {import('./importing.js').Result} result
 * @param {(button: HTMLButtonElement) => void} download saves them as a spreadsheet to correct
 */
export function wrongRows({ errors, errors_count: count }, download) {
  if (!errors.length) return null
  const title = text('import.wrong', { count })
  const press = (/** @type {Event} */ { currentTarget }) => download(/** @type {HTMLButtonElement} */ (currentTarget))
  const button = element(
    'button',
    { type: 'button', onclick: press },
    symbol('download'),
    text('import.wrong.download', { count: errors.length }),
  )
  const how = element('div', { class: 'row' }, button, element('span', { class: 'soft' }, text('import.wrong.how')))
  return listOf('wrong', title, errors, count, how)
}

/**
 * Return the rows that are imported although something in them could not be read, or null if there are none.
 *
 * @param {import('./importing.js').Result} result
 */
export function warnedRows({ warnings = [], warnings_count: all = 0 }) {
  const cells = warnings.filter(({ problems }) => !problems.some(isOfEncoding))
  if (!cells.length) return null
  const count = all - (warnings.length - cells.length)
  return listOf('warned', text('import.warned', { count }), cells, count, null)
}

/** Whether the encoding of the file is a guess. @param {import('./importing.js').Result} result */
export function isGuess({ warnings = [] }) {
  return warnings.some(({ problems }) => problems.some(isOfEncoding))
}

/** @param {import('./importing.js').WrongCell} problem */
function isOfEncoding({ rule }) {
  return rule === 'encoding'
}

/**
 * @param {string} name of the class
 * @param {string} title
 * @param {import('./importing.js').WrongRow[]} listed
 * @param {number} count of all
 * @param {import('../dom.js').Child} action
 */
function listOf(name, title, listed, count, action) {
  const rows = listed.flatMap(({ row, product_code, description, error, problems }) => {
    const product = [number(row), isolated(product_code, 'code'), isolated(description)]
    return problems.length ? problems.map((each) => [...product, ...cellsOf(each)]) : [[...product, '', '', error]]
  })
  const fields = ['import.field.product_code', 'import.field.description']
  return element(
    'section',
    { class: `stack ${name}` },
    element('h3', null, title),
    count > listed.length && element('p', { class: 'soft' }, text('import.wrong.first', { count: listed.length })),
    action,
    table(title, ['import.row', ...fields, 'import.column', 'import.value', 'import.reason'], rows),
  )
}

/**
 * @param {import('./importing.js').WrongCell} problem
 * @returns {(Node | string)[]}
 */
function cellsOf({ column, value, rule, message, first_row: row }) {
  const field = column === 'attributes' ? text('attribute.all') : fieldName(column)
  const reason = text(`import.rule.${rule}`, { row: row ?? '' }, message)
  return [isolated(field), isolated(String(value ?? '')), reason]
}

/**
 * @param {string} value
 * @param {string} [name] of a class
 */
function isolated(value, name = '') {
  return element('bdi', { class: name }, value)
}

/**
 * @param {string} label
 * @param {string[]} titles
 * @param {(Node | string)[][]} rows
 */
function table(label, titles, rows) {
  return element(
    'div',
    { class: 'table tall', tabindex: '0', role: 'region', 'aria-label': label },
    element(
      'table',
      null,
      element(
        'thead',
        null,
        element('tr', null, ...titles.map((title) => element('th', { scope: 'col' }, text(title)))),
      ),
      element(
        'tbody',
        null,
        ...rows.map((cells) => element('tr', null, ...cells.map((cell) => element('td', null, cell)))),
      ),
    ),
  )
}
