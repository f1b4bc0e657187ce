/**
 * Imports a spreadsheet: choose a file, preview the result, assign the columns, import.
 *
 * Rule: nothing is written before the user has seen a preview.
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
  const state = element('div', { class: 'view', role: 'status' })
  const rows = element('div', { class: 'view' })
  const choices = choicesOf(again)
  const node = element(
    'section',
    { class: 'card import', 'aria-label': text('import.title') },
    element('div', { class: 'row apart' }, title, element('button', { type: 'button', onclick: leave }, text('close'))),
    state,
    choices.node,
    rows,
  )
  /** @type {import('../importing.js').Wanted | null} */
  let wanted = null
  let trying = new AbortController()
  let busy = false
  signal.addEventListener('abort', () => trying.abort())

  /** Begin with the choice of a file. */
  function open() {
    if (busy) return
    wanted = null
    choices.forget()
    fill(rows)
    fill(
      state,
      element('p', null, text('import.how')),
      element('div', { class: 'row' }, fileButton(text('import.choose'), take), templateLink()),
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
    choices.forget()
    fill(rows)
    wanted = { file, mode: 'skip', sheet: '', map: null }
    title.focus()
    void look()
  }

  /** @param {Partial<import('../importing.js').Wanted>} changed */
  function again(changed) {
    if (!wanted) return
    wanted = { ...wanted, ...changed }
    void look()
  }

  async function look() {
    if (!wanted) return
    trying.abort()
    const mine = (trying = new AbortController())
    const progress = working(text('import.reading', { file: wanted.file.name }))
    try {
      show(await tryImport(wanted, ({ rows_read }) => progress.say(rows_read), mine.signal))
    } catch (error) {
      if (!mine.signal.aborted) refuse(error)
    }
  }

  /** @param {Result} result */
  function show(result) {
    if (!wanted || !result.preview) return
    choices.show(result.preview)
    const count = result.imported + (result.updated ?? 0)
    const start = element(
      'button',
      { type: 'button', class: 'main', disabled: count === 0, onclick: () => void run(rowsOf(result)) },
      symbol('upload'),
      text('import.start', { count }),
    )
    fill(
      state,
      fileLine(),
      counts(result, 'will'),
      element('div', { class: 'row' }, start, fileButton(text('import.other'), take)),
    )
    const first = result.preview.rows
    fill(
      rows,
      first.length > 0 && element('h3', null, text('import.first')),
      first.length > 0 && firstRows(first),
      wrongRows(result),
    )
  }

  /** @param {unknown} error */
  function refuse(error) {
    const { errors = [], rule = '' } = error instanceof Refusal ? error.details : {}
    const named = rule === 'header row' || (wanted?.map && !choices.known())
    fill(rows)
    fill(
      state,
      fileLine(),
      element('p', { class: 'problem' }, sentenceOf(error)),
      ...errors.map((/** @type {any} */ each) => element('p', { class: 'problem' }, each.message)),
      named && columnNames((map) => again({ map })),
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

  /** @param {number} all rows of the file */
  async function run(all) {
    if (!wanted || busy) return
    busy = true
    choices.node.hidden = true
    fill(rows)
    const progress = working(text('import.importing', { file: wanted.file.name }), all)
    try {
      done(await importNow(wanted, ({ rows_read }) => progress.say(rows_read)))
    } catch (error) {
      if (error instanceof Unreachable) cutOff()
      else refuse(error)
    } finally {
      busy = false
    }
  }

  /** @param {Result} result */
  function done(result) {
    fill(
      state,
      fileLine(),
      element('p', { class: 'done' }, text('import.done')),
      counts(result, 'did'),
      element(
        'div',
        { class: 'row' },
        element('button', { type: 'button', class: 'main', onclick: close }, text('import.show')),
        fileButton(text('import.other'), take),
      ),
    )
    fill(rows, wrongRows(result))
    title.focus()
  }

  function cutOff() {
    fill(
      state,
      fileLine(),
      element('p', { class: 'problem' }, text('import.cut-off')),
      element(
        'div',
        { class: 'row' },
        element('button', { type: 'button', class: 'main', onclick: () => void look() }, text('again')),
      ),
    )
  }

  /**
   * Show that work is in progress.
   *
   * @param {string} says
   * @param {number} [all] rows of the file, if their number is known
   */
  function working(says, all) {
    const bar = element('progress', { max: all ?? 1, 'aria-label': says })
    const read = element('p', { class: 'soft' })
    fill(state, fileLine(), element('p', null, says), bar, read)
    return {
      say(/** @type {number} */ count) {
        read.textContent = text('import.rows', { count })
        if (all) bar.value = count
      },
    }
  }

  function fileLine() {
    return element('p', { class: 'file' }, element('bdi', null, wanted?.file.name ?? ''))
  }

  open()
  return { node, open, take, focus: () => title.focus() }
}

/**
 * The choices for a file, which stay for its next preview: what happens to existing products, columns, sheet.
 *
 * @param {(changed: Partial<import('../importing.js').Wanted>) => void} changed
 */
function choicesOf(changed) {
  const modes = /** @type {const} */ (['skip', 'update'])
  const existing = modes.map((mode) =>
    element('input', { type: 'radio', name: 'existing', value: mode, onchange: () => changed({ mode }) }),
  )
  const sheet = element('input', {
    type: 'text',
    maxlength: 255,
    onchange: () => {
      fill(columns)
      changed({ sheet: sheet.value.trim(), map: null })
    },
  })
  const columns = element('div')
  const summary = element('summary')
  const details = element(
    'details',
    null,
    summary,
    element(
      'div',
      { class: 'view' },
      element('p', { class: 'soft' }, text('import.columns.how')),
      columns,
      element('label', { class: 'sheet-title' }, text('import.sheet'), sheet),
    ),
  )
  const labels = existing.map((box) => element('label', { class: 'check' }, box, text(`import.mode.${box.value}`)))
  const node = element(
    'div',
    { hidden: true },
    element('fieldset', null, element('legend', null, text('import.existing')), ...labels),
    details,
  )

  /** Whether the columns of the sheet are known. */
  const known = () => columns.hasChildNodes()

  /** @param {import('../importing.js').Preview} preview */
  function show(preview) {
    node.hidden = false
    summary.textContent = text('import.columns', { sheet: preview.sheet })
    sheet.value = preview.sheet
    if (known()) return
    const headers = [...Object.keys(preview.columns), ...preview.ignored]
    fill(
      columns,
      columnChoice(headers, preview.columns, (map) => changed({ map })),
    )
    if (preview.ignored.length) details.open = true
  }

  function forget() {
    node.hidden = true
    details.open = false
    fill(columns)
    for (const box of existing) box.checked = box.value === modes[0]
  }
  return { node, known, show, forget }
}

/** Return the link to a spreadsheet to fill in. */
export function templateLink() {
  const href = '/api/products/import/template'
  return element('a', { class: 'button', href, download: true }, symbol('download'), text('import.template'))
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
    accept: '.xlsx,.xls,.csv,.tsv,.txt',
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
  if (error.details?.rule === 'header row') return text('import.no-header')
  return reasonOf(error)
}
