/**
 * Brings a spreadsheet in: choose a file, look at what would become of it, say which column is what, import.
 *
 * Rule: nothing is written before somebody has seen what would be.
 */

import { Refusal, Unreachable } from '../api.js'
import { element, fill } from '../dom.js'
import { importNow, rowsOf, tryImport } from '../importing.js'
import { text } from '../language.js'
import { symbol } from '../symbols.js'
import { reasonOf } from './failure.js'
import { columnChoice, columnNames } from './import_columns.js'
import { counts, firstRows, wrongRows } from './import_outcome.js'

/** @typedef {import('../importing.js').Result} Result */

/**
 * @param {() => void} close ends the import, also when all is done
 * @param {AbortSignal} signal
 */
export function importPanel(close, signal) {
  const title = element('h2', { tabindex: '-1' }, text('import.title'))
  const body = element('div', { class: 'view' })
  const node = element(
    'section',
    { class: 'card import', 'aria-label': text('import.title') },
    element('div', { class: 'row apart' }, title, element('button', { type: 'button', onclick: leave }, text('close'))),
    body,
  )
  /** @type {import('../importing.js').Wanted | null} */
  let wanted = null
  /** The headers of the sheet, in the order in which they were first seen. @type {string[]} */
  let headers = []
  let trying = new AbortController()
  let busy = false
  signal.addEventListener('abort', () => trying.abort())

  function choose() {
    wanted = null
    fill(
      body,
      element('p', null, text('import.how')),
      element(
        'div',
        { class: 'row' },
        fileButton(text('import.choose'), take),
        element(
          'a',
          { class: 'button', href: '/api/products/import/template', download: true },
          symbol('download'),
          text('import.template'),
        ),
      ),
    )
  }

  function leave() {
    trying.abort()
    close()
  }

  /**
   * Begin with a file.
   *
   * @param {File} file
   */
  function take(file) {
    if (busy) return
    headers = []
    wanted = { file, mode: 'skip', sheet: '', map: null }
    title.focus()
    void look()
  }

  async function look() {
    if (!wanted) return
    trying.abort()
    const mine = (trying = new AbortController())
    const progress = working(text('import.reading', { file: wanted.file.name }))
    try {
      show(
        await tryImport(
          wanted,
          ({ rows_read }) => progress.say(text('import.rows', { count: rows_read })),
          mine.signal,
        ),
      )
    } catch (error) {
      if (!mine.signal.aborted) refuse(error)
    }
  }

  /** @param {Result} result */
  function show(result) {
    if (!wanted || !result.preview) return
    const { columns, ignored, rows, sheet } = result.preview
    if (!headers.length) headers = [...Object.keys(columns), ...ignored]
    const count = result.imported + (result.updated ?? 0)
    fill(
      body,
      fileLine(),
      counts(result, 'will'),
      element('div', { class: 'row' }, startButton(result, count), fileButton(text('import.other'), take)),
      existing(),
      element(
        'details',
        { open: result.errors_count > 0 && rows.length === 0 },
        element('summary', null, text('import.columns', { sheet })),
        choices(columns, sheet),
      ),
      rows.length > 0 && element('h3', null, text('import.first')),
      rows.length > 0 && firstRows(rows),
      wrongRows(result),
    )
  }

  /**
   * @param {Result} result
   * @param {number} count
   */
  function startButton(result, count) {
    const label = text('import.start', { count })
    return element(
      'button',
      { type: 'button', class: 'main', disabled: count === 0, onclick: () => void start(rowsOf(result)) },
      symbol('upload'),
      label,
    )
  }

  function fileLine() {
    return element('p', { class: 'file' }, element('bdi', null, wanted?.file.name ?? ''))
  }

  /** What becomes of products that are already there. */
  function existing() {
    const modes = /** @type {const} */ (['skip', 'update'])
    const options = modes.map((mode) => {
      const onchange = () => again({ mode })
      return element(
        'label',
        { class: 'check' },
        element('input', { type: 'radio', name: 'existing', value: mode, checked: wanted?.mode === mode, onchange }),
        text(`import.mode.${mode}`),
      )
    })
    return element('fieldset', null, element('legend', null, text('import.existing')), ...options)
  }

  /**
   * @param {Record<string, string>} columns
   * @param {string} sheet
   */
  function choices(columns, sheet) {
    const sheetTitle = element('input', {
      type: 'text',
      value: sheet,
      maxlength: 255,
      onchange: () => {
        headers = []
        again({ sheet: sheetTitle.value.trim(), map: null })
      },
    })
    return element(
      'div',
      { class: 'view' },
      element('p', { class: 'soft' }, text('import.columns.how')),
      columnChoice(headers, columns, (map) => again({ map })),
      element('label', { class: 'sheet-title' }, text('import.sheet'), sheetTitle),
    )
  }

  /** @param {Partial<import('../importing.js').Wanted>} changed */
  function again(changed) {
    if (!wanted) return
    wanted = { ...wanted, ...changed }
    void look()
  }

  /** @param {unknown} error */
  function refuse(error) {
    const problems = error instanceof Refusal ? (error.details?.errors ?? []) : []
    const unknown = error instanceof Refusal && (error.details?.rule === 'header row' || wanted?.map)
    const map = wanted?.map ?? {}
    fill(
      body,
      fileLine(),
      element('p', { class: 'problem', role: 'alert' }, sentenceOf(error)),
      ...problems.map((/** @type {any} */ each) => element('p', { class: 'problem' }, each.message)),
      unknown && headers.length === 0 && columnNames((named) => again({ map: named })),
      headers.length > 0 && columnChoice(headers, map, (chosen) => again({ map: chosen })),
      element(
        'div',
        { class: 'row' },
        element('button', { type: 'button', onclick: () => again({}) }, text('again')),
        wanted?.sheet &&
          element('button', { type: 'button', onclick: () => again({ sheet: '' }) }, text('import.sheet.first')),
        fileButton(text('import.other'), take),
      ),
    )
  }

  /** @param {number} rows */
  async function start(rows) {
    if (!wanted || busy) return
    busy = true
    const progress = working(text('import.importing', { file: wanted.file.name }), rows)
    try {
      done(
        await importNow(wanted, (told) => progress.say(text('import.rows', { count: told.rows_read }), told.rows_read)),
      )
    } catch (error) {
      if (error instanceof Unreachable) return cutOff()
      refuse(error)
    } finally {
      busy = false
    }
  }

  /** @param {Result} result */
  function done(result) {
    fill(
      body,
      fileLine(),
      element('p', { role: 'status', class: 'done' }, text('import.done')),
      counts(result, 'did'),
      wrongRows(result),
      element(
        'div',
        { class: 'row' },
        element('button', { type: 'button', class: 'main', onclick: close }, text('import.show')),
        fileButton(text('import.other'), take),
      ),
    )
    title.focus()
  }

  function cutOff() {
    fill(
      body,
      fileLine(),
      element('p', { class: 'problem', role: 'alert' }, text('import.cut-off')),
      element(
        'div',
        { class: 'row' },
        element('button', { type: 'button', class: 'main', onclick: () => void look() }, text('again')),
      ),
    )
  }

  /**
   * Show that something goes on.
   *
   * @param {string} says
   * @param {number} [rows] of which it is known how many there are
   */
  function working(says, rows) {
    const bar = element('progress', { max: rows ?? 1, 'aria-label': says })
    const state = element('p', { class: 'soft' }, text('import.rows', { count: 0 }))
    fill(body, element('p', { role: 'status' }, says), bar, state)
    return {
      say(/** @type {string} */ sentence, /** @type {number | undefined} */ value = undefined) {
        state.textContent = sentence
        if (value !== undefined) bar.value = value
      },
    }
  }

  return { node, open: choose, take, focus: () => title.focus() }
}

/**
 * Return a button that asks for a spreadsheet.
 *
 * @param {string} label
 * @param {(file: File) => void} take
 */
export function fileButton(label, take) {
  const field = element('input', {
    type: 'file',
    accept: '.xlsx,.xls',
    class: 'unseen',
    onchange: () => {
      const [file] = field.files ?? []
      field.value = ''
      if (file) take(file)
    },
  })
  return element('label', { class: 'button file-button' }, symbol('upload'), label, field)
}

/** @param {unknown} error */
function sentenceOf(error) {
  if (!(error instanceof Refusal)) return reasonOf(error)
  if (error.code === 'INVALID_FILE_FORMAT') return text('import.unreadable', { why: error.message })
  if (error.code === 'FILE_TOO_LARGE') return text('import.too-large', { why: error.message })
  if (error.details?.rule === 'header row') return text('import.no-header')
  return reasonOf(error)
}
