/**
 * Imports a spreadsheet: choose a file, preview the result, assign the columns, import.
 *
 * Rule: nothing is written before the user has seen a preview. An import whose response was lost is sent again with its key,
 * so that it counts once.
 */

import { Refusal, Unreachable } from '../api.js'
import { newKey } from '../idempotency_key.js'
import { text } from '../language.js'
import { saveFile } from '../lists.js'
import { batch, Button, Check, errorText, FileButton, html, Icon, signal } from '../ui.js'
import { useEffect, useMemo, useRef, useRequest, useSignal } from '../ui.js'
import { Choices, ColumnQuestion, Encoding, fieldName } from './choices.js'
import { Counts, FirstRows, isOfEncoding, WrongRows } from './outcome.js'
import { importNow, SPREADSHEETS, TEXT_FILE, tryImport } from './sending.js'

/** @import {Children, ImportResult, ImportWanted} from '../types.js' */

/** @typedef {(changed: Partial<ImportWanted>) => void} Choose looks again, with other choices */
/** @typedef {ReturnType<typeof newImport>} Importing */

/** Return the file of an import, without one until it is chosen, and whether the import is under way, which nothing stops. */
export function newImport() {
  return { file: signal(/** @type {File | null} */ (null)), isBusy: signal(false) }
}

/** The link to a spreadsheet to fill in. */
export function TemplateLink() {
  return html`
    <a class="button" href="/api/products/import/template" download onclick=${saveFile}>
      <${Icon} name="download" />${text('import.template')}
    </a>`
}

/** The import, on the view of products. @param {{importing: Importing, closed: () => void}} props */
export function Import({ importing: { file, isBusy }, closed }) {
  const title = useRef(/** @type {HTMLElement | null} */ (null))
  useEffect(() => title.current?.focus(), [file.value])
  const take = (/** @type {File} */ chosen) => void (file.value = chosen)
  const other = html`<${FileButton} accept=${SPREADSHEETS} take=${take}>${text('import.other')}<//>`
  return html`
    <section class="card import" aria-label=${text('import.title')}>
      <div class="row apart">
        <h2 ref=${title} tabindex="-1">${text('import.title')}</h2>
        <${Button} kind="text" onclick=${closed}>${text('close')}<//>
      </div>
      ${
        file.value
          ? html`<${FileImport} key=${file.value} file=${file.value} ...${{ isBusy, other, closed }} />`
          : html`
            <p>${text('import.how')}</p>
            <div class="row">
              <${FileButton} accept=${SPREADSHEETS} kind="main" take=${take}>${text('import.choose')}<//>
              <${TemplateLink} />
            </div>`
      }
    </section>`
}

/** Return the state of the import of a file, and what changes it: `seen` is what the last dry run has found, `did` what the import has done. The headers of the sheet stay in the order in which they were first, whatever is chosen for them. @param {File} file @param {Importing['isBusy']} isBusy */
function useImport(file, isBusy) {
  const wanted = useSignal(
    /** @type {ImportWanted} */ ({ file, mode: 'skip', makesCodes: false, sheet: '', encoding: '', map: null }),
  )
  const read = useSignal(0)
  const ended = useSignal(/** @type {{did?: ImportResult, error?: unknown}} */ ({}))
  const headers = useRef(/** @type {string[]} */ ([]))
  const told = (/** @type {number} */ rows) => void (read.value = rows)
  const tried = useRequest((until) => (told(0), tryImport(wanted.value, told, until)), [wanted.value])
  const key = useMemo(newKey, [tried.data])
  const { result: seen, map = null } = tried.data ?? {}
  const now = { ...wanted.value, map: wanted.value.map ?? map }
  const { did, error = tried.error } = ended.value
  const unknown = error instanceof Refusal && error.details.header_texts
  if (unknown) headers.current = [...new Set(/** @type {string[]} */ (unknown))]
  else if (seen?.preview && !wanted.value.map)
    headers.current = [...Object.keys(seen.preview.columns), ...seen.preview.ignored]
  const trial = tried.isUnderWay ? 'reading' : error ? 'refused' : 'preview'
  const after = did ? 'done' : ended.value.error instanceof Unreachable ? 'lost' : trial
  return {
    ...{ seen, did, error, wanted: now, read: read.value, headers: headers.current },
    step: /** @type {'reading' | 'refused' | 'preview' | 'importing' | 'lost' | 'done'} */ (
      isBusy.value ? 'importing' : after
    ),
    /** @type {Choose} */
    choose: (changed) => batch(() => ((ended.value = {}), (wanted.value = { ...wanted.peek(), ...changed }))),
    async run() {
      batch(() => (told(0), (isBusy.value = true)))
      const result = await importNow(now, told, key).then(
        (done) => ({ did: done }),
        (why) => ({ error: why }),
      )
      batch(() => ((ended.value = result), (isBusy.value = false)))
    },
  }
}

/** @param {{file: File, isBusy: Importing['isBusy'], other: Children, closed: () => void}} props */
function FileImport({ file, isBusy, other, closed }) {
  const { step, wanted, seen, did, read, error, headers, choose, run } = useImport(file, isBusy)
  const [{ name }, shown] = [file, step === 'preview' ? seen : did]
  const steps = {
    reading: () => html`<${Working} says=${text('import.reading', { file: name })} read=${read} all=${0} />`,
    importing: () =>
      html`<${Working} says=${text('import.importing', { file: name })} read=${read} all=${rowsOf(seen)} />`,
    refused: () =>
      html`<${Refused} ...${{ error, choose, other }} makesCodes=${wanted.makesCodes} headers=${seen ? [] : headers} />`,
    preview: () => html`<${Preview} result=${seen} start=${run} other=${other} />`,
    lost: () => html`
      <p class="problem">${text('import.cut-off')}</p>
      <div class="row"><${Button} kind="main" onclick=${run}>${text('again')}<//></div>`,
    done: () => html`<${Done} result=${did} closed=${closed} other=${other} />`,
  }
  const isUnread = error instanceof Refusal && error.code === 'INVALID_FILE_FORMAT' && TEXT_FILE.test(name)
  const isGuess = seen?.warnings?.some(isOfEncoding) ?? false
  return html`
    <div class="stack" role="status"><p class="file"><bdi>${name}</bdi></p>${steps[step]()}</div>
    ${['refused', 'preview'].includes(step) && html`<${MakeCodes} ...${{ seen, error, choose }} value=${wanted.makesCodes} />`}
    ${
      ['reading', 'refused', 'preview'].includes(step) &&
      (seen?.preview
        ? html`<${Choices} preview=${seen.preview} ...${{ isGuess, wanted, headers, choose }} />`
        : isUnread && html`<${Encoding} assumed="" isGuess=${false} choose=${choose} />`)
    }
    ${step === 'preview' && html`<${FirstRows} rows=${seen?.preview?.rows ?? []} />`}
    ${shown && html`<${WrongRows} result=${shown} wanted=${wanted} />`}`
}

/** Whether rows have no code, or whether no column has them. @param {ImportResult | undefined} seen what a dry run has found @param {unknown} error or why it found nothing */
export function lacksCodes(seen, error) {
  const { rule = '', errors = [] } = error instanceof Refusal ? error.details : {}
  const isNeeded = errors.some((/** @type {any} */ { fits }) => fits === 'product_code')
  const isLacking = (/** @type {import('../types.js').WrongCell} */ each) =>
    each.column === 'product_code' && each.rule === 'required'
  return rule === 'header row' || isNeeded || (seen?.errors.some(({ problems }) => problems.some(isLacking)) ?? false)
}

/** The choice to make codes, where they are missing. @param {{seen: ImportResult | undefined, error: unknown, value: boolean, choose: Choose}} props */
function MakeCodes({ seen, error, value, choose }) {
  const changed = (/** @type {boolean} */ makesCodes) => choose({ makesCodes })
  return (
    (value || lacksCodes(seen, error)) && html`<${Check} label=${text('import.make-codes')} ...${{ value, changed }} />`
  )
}

/** Return the number of rows that are not blank. @param {ImportResult | undefined} result */
function rowsOf(result) {
  return result ? result.imported + (result.updated ?? 0) + result.skipped + result.errors_count : 0
}

/** @param {{says: string, read: number, all: number}} props `all` is 0 if it is unknown */
function Working({ says, read, all }) {
  return html`
    <p>${says}</p>
    <progress max=${all || 1} value=${all ? read : undefined} aria-label=${says}></progress>
    <p class="soft">${read > 0 && text('import.rows', { count: read })}</p>`
}

/** @param {{result: ImportResult, start: () => void, other: Children}} props */
function Preview({ result, start, other }) {
  const { imported, updated = 0, levels_ignored: ignored } = result
  const { program } = result.preview ?? {}
  const count = imported + updated
  return html`
    ${program && html`<p>${text('import.program', { program })}</p>`}
    <${Counts} result=${result} />
    ${ignored > 0 && html`<p class="problem">${text('import.levels-ignored', { count: ignored })}</p>`}
    <div class="row">
      <${Button} kind="main" icon="upload" disabled=${count === 0} onclick=${start}>${text('import.start', { count })}<//>
      ${other}
    </div>`
}

/** @param {{result: ImportResult, closed: () => void, other: Children}} props */
function Done({ result, closed, other }) {
  const says = useRef(/** @type {HTMLElement | null} */ (null))
  useEffect(() => says.current?.focus(), [])
  const { imported, new_products: created = [] } = result
  const print = () => void (location.hash = `#labels?products=${created.join()}`)
  return html`
    <p class="done" ref=${says} tabindex="-1">${text('import.done')}</p>
    <${Counts} result=${result} />
    <div class="row">
      <${Button} kind="main" onclick=${closed}>${text('import.show')}<//>
      ${imported > 0 && imported === created.length && html`<${Button} icon="print" onclick=${print}>${text('labels.print-these')}<//>`}
      ${other}
    </div>`
}

/** Why a file is not read, and what can be chosen instead; `headers` are those of which nothing is known. @param {{error: unknown, headers: string[], makesCodes: boolean, choose: Choose, other: Children}} props */
function Refused({ error, headers, makesCodes, choose, other }) {
  const { errors = [], rule: broken = '' } = error instanceof Refusal ? error.details : {}
  const says = broken === 'header row' ? text(headers.length ? 'import.which' : 'import.no-header') : errorText(error)
  const why = (/** @type {Record<string, string>} */ { rule = '', value = '', fits = '', message }) =>
    text(`import.refused.${rule}`, { value, fits, field: fieldName(fits) }, message)
  return html`
    <p class="problem">${says}</p>
    ${errors.map((/** @type {any} */ each) => html`<p class="problem" key=${each.message}>${why(each)}</p>`)}
    ${headers.length > 0 && html`<${ColumnQuestion} ...${{ headers, makesCodes, choose }} />`}
    <div class="row"><${Button} onclick=${() => choose({})}>${text('again')}<//>${other}</div>`
}
