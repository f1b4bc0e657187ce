/**
 * Imports a spreadsheet: choose a file, preview the result, assign the columns, import.
 *
 * Rule: nothing is written before the user has seen a preview.
 */

import { Refusal, Unreachable } from '../api.js'
import { element, fill } from '../dom.js'
import { presetMap, usualAttributes } from './presets.js'
import { importNow, isTextFile, refusedRows, rowsOf, tryImport } from './importing.js'
import { text } from '../language.js'
import { announceError } from '../notices.js'
import { labelsAddress } from '../products/products_by_id.js'
import { symbol } from '../symbols.js'
import { errorText } from '../failure.js'
import { choicesOf } from './choices.js'
import { columnNames, columnQuestion } from './columns.js'
import { counts, firstRows, isGuess, warnedRows, wrongRows } from './outcome.js'
import { fileButton, templateLink } from './start.js'

/** Milliseconds after which a browser has saved a file. */
const SAVED = 60_000

/** @typedef {import('./importing.js').Result} Result */

export class ImportPanel {
  #title = element('h2', { tabindex: '-1' }, text('import.title'))
  #state = element('div', { class: 'stack', role: 'status' })
  #rows = element('div', { class: 'stack' })
  #choices = choicesOf((changed) => this.#again(changed))
  /** @type {import('./importing.js').Wanted | null} */
  #wanted = null
  #trying = new AbortController()
  /** Whether an import is under way, which nothing stops. */
  isBusy = false
  #close

  /**
   * @param {() => void} close ends the import, also when all is done
   * @param {AbortSignal} signal
   */
  constructor(close, signal) {
    this.#close = close
    const leave = () => {
      this.#trying.abort()
      close()
    }
    const button = element('button', { type: 'button', onclick: leave }, text('close'))
    this.node = element(
      'section',
      { class: 'card import', 'aria-label': text('import.title') },
      element('div', { class: 'row apart' }, this.#title, button),
      this.#state,
      this.#choices.node,
      this.#rows,
    )
    signal.addEventListener('abort', () => this.#trying.abort())
    this.open()
  }

  focus() {
    this.#title.focus()
  }

  /** Begin with the choice of a file. */
  open() {
    if (this.isBusy) return
    this.#wanted = null
    this.#choices.forget()
    this.#show([element('p', null, text('import.how')), row(this.#fileButton('import.choose'), templateLink())], [])
  }

  /**
   * Begin with a file.
   *
   * @param {File} file
   */
  take(file) {
    if (this.isBusy) return
    this.#choices.forget()
    fill(this.#rows)
    this.#wanted = { file, mode: 'skip', sheet: '', map: null }
    this.focus()
    void this.#look()
  }

  /** @param {Partial<import('./importing.js').Wanted>} changed */
  #again(changed) {
    if (!this.#wanted) return
    this.#wanted = { ...this.#wanted, ...changed }
    void this.#look()
  }

  async #look() {
    if (!this.#wanted) return
    this.#trying.abort()
    const { signal } = (this.#trying = new AbortController())
    const progress = this.#working(text('import.reading', { file: this.#wanted.file.name }))
    try {
      const tried = tryImport(this.#wanted, ({ rows_read }) => progress(rows_read), signal)
      const [result, names] = await Promise.all([tried, this.#wanted.map ? [] : usualAttributes(signal)])
      const map = this.#wanted.map || !result.preview ? null : presetMap(result.preview, names)
      if (map) this.#again({ map })
      else this.#preview(result)
    } catch (error) {
      if (!signal.aborted) this.#refuse(error)
    }
  }

  /** @param {Result} result */
  #preview(result) {
    if (!result.preview) return
    this.#choices.show(result.preview, isGuess(result))
    const { program } = result.preview
    const count = result.imported + (result.updated ?? 0)
    const run = () => void this.#run(rowsOf(result))
    const start = element(
      'button',
      { type: 'button', class: 'main', disabled: count === 0, onclick: run },
      symbol('upload'),
      text('import.start', { count }),
    )
    const first = result.preview.rows
    this.#show(
      [
        this.#fileLine(),
        program && element('p', null, text('import.program', { program })),
        counts(result, 'will'),
        leftLevels(result),
        row(start, this.#fileButton('import.other')),
      ],
      [
        ...(first.length ? [element('h3', null, text('import.first')), firstRows(first)] : []),
        this.#wrongRows(result),
        warnedRows(result),
      ],
    )
  }

  /** @param {unknown} error */
  #refuse(error) {
    const { errors = [], rule = '', header_texts: headers = [] } = error instanceof Refusal ? error.details : {}
    const named = rule === 'header row' || (this.#wanted?.map && !this.#choices.known())
    const again = (/** @type {string} */ key, /** @type {Partial<import('./importing.js').Wanted>} */ changed) =>
      element('button', { type: 'button', onclick: () => this.#again(changed) }, text(key))
    this.#show(
      [
        this.#fileLine(),
        element('p', { class: 'problem' }, sentenceOf(error)),
        headers.length > 0 && columnQuestion([...new Set(headers)], (map) => this.#again({ map })),
        ...errors.map((/** @type {any} */ each) => element('p', { class: 'problem' }, each.message)),
        named && !headers.length && columnNames((map) => this.#again({ map })),
        row(
          again('again', {}),
          this.#wanted?.sheet && again('import.sheet.first', { sheet: '' }),
          this.#fileButton('import.other'),
        ),
      ],
      [],
    )
    if (error instanceof Refusal && error.code === 'INVALID_FILE_FORMAT' && isTextFile(this.#wanted?.file))
      this.#choices.askEncoding()
  }

  /**
   * The rows with errors, which can be downloaded to be corrected.
   *
   * @param {Result} result
   */
  #wrongRows(result) {
    const wanted = this.#wanted
    return wrongRows(result, async (button) => {
      if (!wanted) return
      button.disabled = true
      try {
        save(await refusedRows(wanted), text('import.wrong.file', { file: wanted.file.name.replace(/\.\w+$/, '') }))
      } catch (error) {
        announceError(errorText(error), this.node)
      }
      button.disabled = false
    })
  }

  /** @param {number} all rows of the file */
  async #run(all) {
    if (!this.#wanted || this.isBusy) return
    this.isBusy = true
    this.#choices.node.hidden = true
    fill(this.#rows)
    const progress = this.#working(text('import.importing', { file: this.#wanted.file.name }), all)
    try {
      this.#done(await importNow(this.#wanted, ({ rows_read }) => progress(rows_read)))
    } catch (error) {
      if (error instanceof Unreachable) this.#cutOff()
      else this.#refuse(error)
    } finally {
      this.isBusy = false
    }
  }

  /** @param {Result} result */
  #done(result) {
    const { imported, new_products: created = [] } = result
    const show = element('button', { type: 'button', class: 'main', onclick: this.#close }, text('import.show'))
    const print = () => (location.hash = labelsAddress(created))
    this.#show(
      [
        this.#fileLine(),
        element('p', { class: 'done' }, text('import.done')),
        counts(result, 'did'),
        row(
          show,
          imported > 0 &&
            imported === created.length &&
            element('button', { type: 'button', onclick: print }, symbol('print'), text('import.print')),
          this.#fileButton('import.other'),
        ),
      ],
      [this.#wrongRows(result), warnedRows(result)],
    )
    this.focus()
  }

  #cutOff() {
    const look = () => void this.#look()
    this.#show(
      [
        this.#fileLine(),
        element('p', { class: 'problem' }, text('import.cut-off')),
        row(element('button', { type: 'button', class: 'main', onclick: look }, text('again'))),
      ],
      [],
    )
  }

  /**
   * Show that work is in progress; return a function that shows how many rows were read.
   *
   * @param {string} says
   * @param {number} [all] rows of the file, if their number is known
   */
  #working(says, all) {
    const bar = element('progress', { max: all ?? 1, 'aria-label': says })
    const read = element('p', { class: 'soft' })
    fill(this.#state, this.#fileLine(), element('p', null, says), bar, read)
    return (/** @type {number} */ count) => {
      read.textContent = text('import.rows', { count })
      if (all) bar.value = count
    }
  }

  /**
   * @param {import('../dom.js').Child[]} state
   * @param {import('../dom.js').Child[]} rows
   */
  #show(state, rows) {
    fill(this.#state, ...state)
    fill(this.#rows, ...rows)
  }

  #fileLine() {
    return element('p', { class: 'file' }, element('bdi', null, this.#wanted?.file.name ?? ''))
  }

  /** @param {string} key */
  #fileButton(key) {
    return fileButton(text(key), (file) => this.take(file))
  }
}

/** @param {...import('../dom.js').Child} children */
function row(...children) {
  return element('div', { class: 'row' }, ...children)
}

/**
 * Say how many levels of the file are not booked, or nothing.
 *
 * @param {Result} result
 */
function leftLevels({ levels_ignored: count }) {
  return count > 0 && element('p', { class: 'problem' }, text('import.levels-ignored', { count }))
}

/**
 * @param {Blob} file
 * @param {string} name
 */
function save(file, name) {
  const href = URL.createObjectURL(file)
  element('a', { href, download: `${name}.xlsx` }).click()
  setTimeout(() => URL.revokeObjectURL(href), SAVED)
}

/** @param {unknown} error */
function sentenceOf(error) {
  if (!(error instanceof Refusal)) return errorText(error)
  const { rule, header_texts: headers = [] } = error.details ?? {}
  if (rule === 'header row') return text(headers.length ? 'import.which' : 'import.no-header')
  return errorText(error)
}
