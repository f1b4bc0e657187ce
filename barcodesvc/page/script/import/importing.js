/**
 * Sends a spreadsheet to the service: first as a dry run, then as an import, and reports the progress.
 *
 * Rule: an import that was sent completes even if the page is closed. Only a dry run ends with its `signal`. The progress comes as
 * server-sent events in the response, because `EventSource` cannot send a file (HTML standard, 9.2).
 */

import { fetched, file as fileOf, LIMITS, Refusal, Unreachable } from '../api.js'
import { text } from '../language.js'
import { settings } from '../settings.js'

/** The names of files that are sent as CSV; a workbook shows what it is. */
const TEXT_FILE = /\.(csv|tsv|txt)$/i

/**
 * @typedef {'skip' | 'update' | 'count' | 'receive'} Mode what happens to products that already exist
 *
 * @typedef {object} Wanted
 * @property {File} file
 * @property {Mode} mode
 * @property {string} sheet the title of the sheet; empty is the first suitable one
 * @property {string} [encoding] of a text file; empty is the one that the service finds
 * @property {Record<string, string> | null} map the field of each header; null is what the service recognises
 *
 * @typedef {{rows_read: number, imported: number, updated?: number, skipped: number, errors: number}} Progress
 * @typedef {{column: string, value: any, rule: string, message: string, first_row: number | null}} WrongCell
 * @typedef {{row: number, product_code: string, description: string, error: string, problems: WrongCell[]}} WrongRow
 * @typedef {{row: number, outcome: string, product_code: string, description: string, category: string, unit_of_measure: string, current_level: number, minimum_level: number, maximum_level: number, attributes: Record<string, string>, old_level: number | null, given_level: number | null}} PreviewRow
 * @typedef {{sheet: string, header_row: number, program: string | null, encoding?: string, columns: Record<string, string>, ignored: string[], rows: PreviewRow[]}} Preview
 * @typedef {{imported: number, updated?: number, skipped: number, levels_ignored: number, warnings?: WrongRow[], warnings_count?: number, errors: WrongRow[], errors_count: number, errors_truncated: boolean, preview?: Preview, new_products?: number[]}} Result
 */

/**
 * Dry-run an import: nothing is written.
 *
 * @param {Wanted} wanted
 * @param {(progress: Progress) => void} told
 * @param {AbortSignal} signal
 */
export function tryImport(wanted, told, signal) {
  return send(wanted, { dry_run: true }, told, signal)
}

/**
 * Import a spreadsheet. Sent again with the same idempotency key, it counts once.
 *
 * @param {Wanted} wanted
 * @param {(progress: Progress) => void} told
 * @param {string} key
 */
export function importNow(wanted, told, key) {
  const entry = { ...entryOf(wanted.file), idempotency_key: key }
  return send({ ...wanted, entry }, {}, told, new AbortController().signal)
}

/**
 * Return the rows that an import refuses, as a spreadsheet to correct and import.
 *
 * @param {Wanted} wanted
 * @returns {Promise<Blob>}
 */
export function refusedRows(wanted) {
  const query = { dry_run: true, refused: 'xlsx', mode: wanted.mode, format: formatOf(wanted) }
  return fileOf('POST', '/api/products/import', { body: formOf(wanted), query, limit: new AbortController().signal })
}

/**
 * Return who imports a file, and why, for the history. The service refuses control characters.
 *
 * @param {File} file
 * @returns {Record<string, string>}
 */
function entryOf({ name }) {
  const reason = text('import.reason.of', { file: name.replace(/\p{C}/gu, '') })
  return {
    change_reason: [...reason].slice(0, LIMITS.reason).join(''),
    updated_by: settings().author || text('author.device'),
  }
}

/**
 * @param {Wanted & {entry?: Record<string, string>}} wanted
 * @param {Record<string, unknown>} query
 * @param {(progress: Progress) => void} told
 * @param {AbortSignal} signal
 * @returns {Promise<Result>}
 */
async function send(wanted, query, told, signal) {
  const [body, format] = [formOf(wanted), formatOf(wanted)]
  for await (const { event, data } of events('POST', '/api/products/import', {
    body,
    query: { ...query, mode: wanted.mode, format },
    signal,
  })) {
    if (event === 'progress') told(data)
    if (event === 'result') return data
    if (event === 'error') throw new Refusal(500, data)
  }
  throw new Unreachable('the response was cut off')
}

/** @param {Wanted & {entry?: Record<string, string>}} wanted */
function formOf({ file, sheet, encoding, map, entry = {} }) {
  const body = new FormData()
  body.append('file', file)
  if (sheet) body.append('sheet', sheet)
  if (encoding) body.append('encoding', encoding)
  if (map) body.append('map', JSON.stringify(map))
  for (const [name, value] of Object.entries(entry)) body.append(name, value)
  return body
}

/** @param {Wanted} wanted */
function formatOf({ file }) {
  return isTextFile(file) ? 'csv' : ''
}

/** Whether a file is sent as CSV. @param {File | undefined} file */
export function isTextFile(file) {
  return file !== undefined && TEXT_FILE.test(file.name)
}

/** Rows of a spreadsheet that are not blank. @param {Result} result */
export function rowsOf({ imported, updated = 0, skipped, errors_count }) {
  return imported + updated + skipped + errors_count
}

/** @typedef {{event: string, data: any}} StreamedEvent the data is JSON */

/**
 * Send a request to the API and yield the events of its response as they come, without a timeout; `signal` ends them.
 *
 * @param {string} method
 * @param {string} path
 * @param {{body?: unknown, query?: Record<string, unknown>, signal?: AbortSignal}} [options]
 * @returns {AsyncGenerator<StreamedEvent>}
 * @throws {Refusal | Unreachable}
 */
async function* events(method, path, { signal = new AbortController().signal, ...options } = {}) {
  const { body } = await fetched(method, path, { ...options, signal }, { Accept: 'text/event-stream' }, signal)
  try {
    if (body) yield* eventsOf(body)
  } catch (error) {
    if (signal.aborted || error instanceof Refusal) throw error
    throw new Unreachable(/** @type {Error} */ (error).message)
  }
}

/**
 * Yield the events of a body. An event counts when its blank line has come: a truncated one is ignored.
 *
 * @param {ReadableStream<Uint8Array>} body
 * @returns {AsyncGenerator<StreamedEvent>}
 */
export async function* eventsOf(body) {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) yield eventOf(block)
  }
}

/**
 * @param {string} block the lines of one event
 * @returns {StreamedEvent}
 */
function eventOf(block) {
  const lines = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line))
  const fieldsOf = (/** @type {string} */ name) => lines.flatMap((line) => (line?.[1] === name ? [line[2] ?? ''] : []))
  return { event: fieldsOf('event').at(-1) ?? 'message', data: JSON.parse(fieldsOf('data').join('\n') || 'null') }
}
