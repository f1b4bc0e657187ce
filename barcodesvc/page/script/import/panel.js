/**
 * Imports a spreadsheet: choose a file, preview the result, assign the columns, import.
 *
 * Rule: nothing is written before the user has seen a preview. An import whose response was lost is sent again with its key,
 * so that it counts once.
 */

import { Refusal, Unreachable } from '../api.js'
import { newKey } from '../bookings/booking.js'
import { text } from '../language.js'
import { announce } from '../in_front.js'
import { batch, Button, errorText, FileButton, html, signal, useEffect, useRef } from '../ui.js'
import { Choices, ColumnNames, ColumnQuestion, Encoding } from './choices.js'
import { importNow, isTextFile, refusedRows, rowsOf, tryImport } from './importing.js'
import { Counts, FirstRows, isGuess, WarnedRows, WrongRows } from './outcome.js'
import { presetMap, usualAttributes } from './presets.js'
import { SPREADSHEETS, TemplateLink } from './start.js'

/** Milliseconds after which a browser has saved a file. */
const SAVED = 60_000

/** @typedef {import('./importing.js').Result} Result */
/** @typedef {import('./importing.js').Wanted} Wanted */
/**
 * @typedef {{name: 'choose'} | {name: 'reading' | 'importing', read: number, all: number} | {name: 'preview' | 'done', result: Result} | {name: 'refused', error: unknown} | {name: 'lost'}} Step
 */

/**
 * Return the state of an import: where it is; the file and what was chosen for it; its last preview, and its columns in the order
 * in which they were first; what ends the preview that is under way; and the key of the import.
 */
export function newImport() {
  return {
    step: signal(/** @type {Step} */ ({ name: 'choose' })),
    wanted: signal(/** @type {Wanted | null} */ (null)),
    seen: signal(/** @type {{result: Result, headers: string[]} | null} */ (null)),
    trying: signal(new AbortController()),
    key: signal(''),
  }
}

/** @typedef {ReturnType<typeof newImport>} Importing */

/** Whether an import is under way, which nothing stops. @param {Importing} importing */
export function isBusy({ step }) {
  return step.peek().name === 'importing'
}

/**
 * Begin with a file; without one, with its choice.
 *
 * @param {Importing} importing
 * @param {File | null} file
 */
export function beginImport(importing, file) {
  if (isBusy(importing)) return
  importing.trying.peek().abort()
  batch(() => {
    importing.wanted.value = file && { file, mode: 'skip', sheet: '', map: null }
    importing.seen.value = null
    importing.step.value = { name: 'choose' }
  })
  if (file) void look(importing)
}

/**
 * Look again, with other choices.
 *
 * @param {Importing} importing
 * @param {Partial<Wanted>} changed
 */
function choose(importing, changed) {
  const wanted = importing.wanted.peek()
  if (!wanted) return
  importing.wanted.value = { ...wanted, ...changed }
  const seen = importing.seen.peek()
  if (seen && changed.map === null) importing.seen.value = { ...seen, headers: [] }
  void look(importing)
}

/** Dry-run the import, and show the preview. @param {Importing} importing */
async function look(importing) {
  const wanted = importing.wanted.peek()
  if (!wanted) return
  importing.trying.peek().abort()
  const { signal: until } = (importing.trying.value = new AbortController())
  const show = (/** @type {Step} */ step) => {
    if (!until.aborted) importing.step.value = step
  }
  show({ name: 'reading', read: 0, all: 0 })
  try {
    const tried = tryImport(wanted, ({ rows_read: read }) => show({ name: 'reading', read, all: 0 }), until)
    const [result, names] = await Promise.all([tried, wanted.map ? [] : usualAttributes(until)])
    const map = wanted.map || !result.preview ? null : presetMap(result.preview, names)
    if (until.aborted) return
    if (map) return choose(importing, { map })
    batch(() => {
      const { columns = {}, ignored = [] } = result.preview ?? {}
      const headers = importing.seen.peek()?.headers ?? []
      const all = [...Object.keys(columns), ...ignored]
      importing.seen.value = { result, headers: headers.length ? headers : all }
      importing.key.value = newKey()
      show({ name: 'preview', result })
    })
  } catch (error) {
    show({ name: 'refused', error })
  }
}

/**
 * Import; after a lost response the same import again.
 *
 * @param {Importing} importing
 */
async function run(importing) {
  const [wanted, seen] = [importing.wanted.peek(), importing.seen.peek()]
  if (!wanted || !seen || isBusy(importing)) return
  const all = rowsOf(seen.result)
  const progress = ({ rows_read: read = 0 }) => void (importing.step.value = { name: 'importing', read, all })
  progress({})
  try {
    importing.step.value = { name: 'done', result: await importNow(wanted, progress, importing.key.peek()) }
  } catch (error) {
    importing.step.value = error instanceof Unreachable ? { name: 'lost' } : { name: 'refused', error }
  }
}

/**
 * The import, on the view of products. `closed` ends it, also when all is done.
 *
 * @param {{importing: Importing, closed: () => void}} props
 */
export function Import({ importing, closed }) {
  const title = useRef(/** @type {HTMLElement | null} */ (null))
  const [{ value: step }, { value: wanted }] = [importing.step, importing.wanted]
  useEffect(() => title.current?.focus(), [wanted?.file, step.name === 'done'])
  const close = () => (importing.trying.peek().abort(), closed())
  return html`
    <section class="card import" aria-label=${text('import.title')}>
      <div class="row apart">
        <h2 ref=${title} tabindex="-1">${text('import.title')}</h2>
        <${Button} kind="text" onclick=${close}>${text('close')}<//>
      </div>
      <div class="stack" role="status">
        ${wanted && html`<p class="file"><bdi>${wanted.file.name}</bdi></p>`}
        <${StepOf} importing=${importing} closed=${closed} />
      </div>
      ${wanted && html`<${ChoicesOf} importing=${importing} wanted=${wanted} />`}
      ${'result' in step && html`<${RowsOf} importing=${importing} result=${step.result} />`}
    </section>`
}

/** @param {{importing: Importing, closed: () => void}} props */
function StepOf({ importing, closed }) {
  const step = importing.step.value
  const take = (/** @type {File} */ file) => beginImport(importing, file)
  const other = html`<${FileButton} accept=${SPREADSHEETS} take=${take}>${text('import.other')}<//>`
  if (step.name === 'preview') return html`<${Preview} importing=${importing} result=${step.result} other=${other} />`
  if (step.name === 'done') return html`<${Done} result=${step.result} closed=${closed} other=${other} />`
  if (step.name === 'refused') return html`<${Refused} importing=${importing} error=${step.error} other=${other} />`
  if (step.name === 'lost') return html`<${Lost} importing=${importing} />`
  if ('read' in step) return html`<${Working} ...${step} file=${importing.wanted.value?.file.name} />`
  return html`
    <p>${text('import.how')}</p>
    <div class="row">
      <${FileButton} accept=${SPREADSHEETS} kind="main" take=${take}>${text('import.choose')}<//>
      <${TemplateLink} />
    </div>`
}

/** @param {{importing: Importing, wanted: Wanted}} props */
function ChoicesOf({ importing, wanted }) {
  const [{ value: step }, { value: seen }] = [importing.step, importing.seen]
  const again = (/** @type {Partial<Wanted>} */ changed) => choose(importing, changed)
  if (step.name === 'importing' || step.name === 'done' || step.name === 'lost') return null
  const preview = seen?.result.preview
  if (preview)
    return html`<${Choices} wanted=${wanted} preview=${preview} headers=${seen.headers} isGuess=${isGuess(seen.result)} choose=${again} />`
  const isUnread = step.name === 'refused' && step.error instanceof Refusal && step.error.code === 'INVALID_FILE_FORMAT'
  return isUnread && isTextFile(wanted.file) && html`<${Encoding} assumed="" isGuess=${false} choose=${again} />`
}

/** @param {{name: string, read: number, all: number, file?: string}} props */
function Working({ name, read, all, file = '' }) {
  const says = text(`import.${name}`, { file })
  return html`
    <p>${says}</p>
    <progress max=${all || 1} value=${all ? read : undefined} aria-label=${says}></progress>
    <p class="soft">${read > 0 && text('import.rows', { count: read })}</p>`
}

/** @param {{importing: Importing, result: Result, other: import('../types.js').Children}} props */
function Preview({ importing, result, other }) {
  const count = result.imported + (result.updated ?? 0)
  const { program } = result.preview ?? {}
  return html`
    ${program && html`<p>${text('import.program', { program })}</p>`}
    <${Counts} result=${result} tense="will" />
    ${
      result.levels_ignored > 0 &&
      html`<p class="problem">${text('import.levels-ignored', { count: result.levels_ignored })}</p>`
    }
    <div class="row">
      <${Button} kind="main" icon="upload" disabled=${count === 0} onclick=${() => void run(importing)}>${text('import.start', { count })}<//>
      ${other}
    </div>`
}

/** @param {{result: Result, closed: () => void, other: import('../types.js').Children}} props */
function Done({ result, closed, other }) {
  const { imported, new_products: created = [] } = result
  const print = () => void (location.hash = `#labels?products=${created.join()}`)
  return html`
    <p class="done">${text('import.done')}</p>
    <${Counts} result=${result} tense="did" />
    <div class="row">
      <${Button} kind="main" onclick=${closed}>${text('import.show')}<//>
      ${imported > 0 && imported === created.length && html`<${Button} icon="print" onclick=${print}>${text('labels.print-these')}<//>`}
      ${other}
    </div>`
}

/** @param {{importing: Importing}} props */
function Lost({ importing }) {
  return html`
    <p class="problem">${text('import.cut-off')}</p>
    <div class="row"><${Button} kind="main" onclick=${() => void run(importing)}>${text('again')}<//></div>`
}

/**
 * Why a file cannot be read, and what can be chosen instead.
 *
 * @param {{importing: Importing, error: unknown, other: import('../types.js').Children}} props
 */
function Refused({ importing, error, other }) {
  const wanted = importing.wanted.value
  const { errors = [], rule = '', header_texts: headers = [] } = error instanceof Refusal ? error.details : {}
  const isUnnamed = rule === 'header row' || (wanted?.map && !importing.seen.value?.headers.length)
  const again = (/** @type {Partial<Wanted>} */ changed) => choose(importing, changed)
  const says = rule === 'header row' ? text(headers.length ? 'import.which' : 'import.no-header') : errorText(error)
  return html`
    <p class="problem">${says}</p>
    ${headers.length > 0 && html`<${ColumnQuestion} headers=${[...new Set(headers)]} choose=${again} />`}
    ${errors.map((/** @type {{message: string}} */ { message }) => html`<p class="problem" key=${message}>${message}</p>`)}
    ${isUnnamed && !headers.length && html`<${ColumnNames} choose=${again} />`}
    <div class="row">
      <${Button} onclick=${() => again({})}>${text('again')}<//>
      ${wanted?.sheet && html`<${Button} onclick=${() => again({ sheet: '', map: null })}>${text('import.sheet.first')}<//>`}
      ${other}
    </div>`
}

/** @param {{importing: Importing, result: Result}} props */
function RowsOf({ importing, result }) {
  const download = async () => {
    const wanted = importing.wanted.peek()
    if (!wanted) return
    try {
      save(await refusedRows(wanted), text('import.wrong.file', { file: wanted.file.name.replace(/\.\w+$/, '') }))
    } catch (error) {
      announce(errorText(error), 'bad')
    }
  }
  return html`
    ${importing.step.value.name === 'preview' && html`<${FirstRows} rows=${result.preview?.rows ?? []} />`}
    <${WrongRows} result=${result} download=${download} />
    <${WarnedRows} result=${result} />`
}

/**
 * @param {Blob} file
 * @param {string} name
 */
function save(file, name) {
  const href = URL.createObjectURL(file)
  Object.assign(document.createElement('a'), { href, download: `${name}.xlsx` }).click()
  setTimeout(() => URL.revokeObjectURL(href), SAVED)
}
