/**
 * Sends a spreadsheet to the service: first as a dry run, then as an import.
 *
 * Rule: an import that was sent completes even if the page is closed; only a dry run ends with its signal. The progress
 * comes as server-sent events in the response, because `EventSource` cannot send a file (HTML standard, 9.2).
 */

import { ask, fetched, file as fileOf, LIMITS, Refusal, Unreachable } from '../api.js'
import { text } from '../language.js'
import { attributeName } from '../products/attributes.js'
import { settings } from '../settings.js'

/** @import {ImportPreview, ImportResult, ImportWanted} from '../types.js' */

/** The files that the service reads, and the names of those that are sent as CSV: a workbook shows what it is. */
export const SPREADSHEETS = '.xlsx,.xls,.ods,.csv,.tsv,.txt'
export const TEXT_FILE = /\.(csv|tsv|txt)$/i

const PATH = '/api/products/import'

/** How a price is called in the languages of the web app; `{attributes.price}` prints it on labels. */
const PRICES = ['price', 'preis', 'prix', 'precio']

/** @typedef {(rows: number) => void} Told of the rows that are read */

/** Dry-run an import. Without a chosen map of the columns it has what the service recognises with the usual attributes, or null if there are none of these. @type {(wanted: ImportWanted, told: Told, signal: AbortSignal) => Promise<{result: ImportResult, map: ImportWanted['map']}>} */
export async function tryImport(wanted, told, signal) {
  const send = (/** @type {ImportWanted} */ each) => sent(each, {}, { dry_run: true }, told, signal)
  const [result, names] = await Promise.all([send(wanted), wanted.map ? [] : usualAttributes(signal)])
  const map = wanted.map || !result.preview ? null : presetMap(result.preview, names)
  return map ? { result: await send({ ...wanted, map }), map } : { result, map: wanted.map }
}

/** Import a spreadsheet. Sent again with the same idempotency key, it counts once. @type {(wanted: ImportWanted, told: Told, key: string) => Promise<ImportResult>} */
export function importNow(wanted, told, key) {
  const name = wanted.file.name.replace(/\p{C}/gu, '') // the service refuses control characters
  const change_reason = [...text('import.reason.of', { file: name })].slice(0, LIMITS.reason).join('')
  const entry = { change_reason, updated_by: settings.author.value || text('author.device'), idempotency_key: key }
  return sent(wanted, entry, {}, told, new AbortController().signal)
}

/** Return the rows that an import refuses, as a spreadsheet to correct and import. @param {ImportWanted} wanted */
export function refusedRows(wanted) {
  return fileOf('POST', PATH, request(wanted, {}, { dry_run: true, refused: 'xlsx' }, new AbortController().signal))
}

/** Return the request of an import, whose time nothing limits but its signal. @type {(wanted: ImportWanted, entry: Record<string, string>, query: object, signal: AbortSignal) => import('../api.js').Options} */
function request({ file, mode, makesCodes, sheet, encoding, map }, entry, query, signal) {
  const body = new FormData()
  body.append('file', file)
  const fields = { sheet, encoding, map: map && JSON.stringify(map), ...entry }
  for (const [name, value] of Object.entries(fields)) if (value) body.append(name, value)
  const format = TEXT_FILE.test(file.name) ? 'csv' : ''
  return { body, query: { ...query, mode, format, make_codes: makesCodes || '' }, signal, limit: signal }
}

/** @type {(wanted: ImportWanted, entry: Record<string, string>, query: object, told: Told, signal: AbortSignal) => Promise<ImportResult>} */
async function sent(wanted, entry, query, told, signal) {
  const { body } = await fetched('POST', PATH, request(wanted, entry, query, signal), { Accept: 'text/event-stream' })
  try {
    for await (const { event, data } of body ? eventsOf(body) : []) {
      if (event === 'progress') told(data.rows_read)
      if (event === 'result') return data
      if (event === 'error') throw new Refusal(500, data)
    }
  } catch (error) {
    if (signal.aborted || error instanceof Refusal) throw error
  }
  throw new Unreachable('the response was cut off')
}

/** Yield the events of a body, whose data are JSON. One counts when its blank line has come. @type {(body: ReadableStream<Uint8Array>) => AsyncGenerator<{event: string, data: any}>} */
export async function* eventsOf(body) {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const { event = '', data = 'null' } = Object.fromEntries(
        block.split('\n').map((line) => line.split(/: ?(.*)/, 2)),
      )
      yield { event, data: JSON.parse(data) }
    }
  }
}

/** Return the names of the attributes that the newest products have; none without a response. @type {(signal: AbortSignal) => Promise<string[]>} */
async function usualAttributes(signal) {
  const query = { sort: '-id', limit: 100 }
  const products = await ask('GET', '/api/products', { query, signal }).catch(() => [])
  return [...new Set(products.flatMap((/** @type {any} */ { attributes }) => Object.keys(attributes)))]
}

/**
 * Return the field of each column, with the ignored ones that are attributes of these names, or prices; null if there are
 * none. A column that the service recognises stays as it is, and no field comes from two columns.
 *
 * @type {(preview: Pick<ImportPreview, 'columns' | 'ignored'>, names: string[]) => Record<string, string> | null}
 */
export function presetMap({ columns, ignored }, names) {
  const map = { ...columns }
  for (const header of ignored) {
    const name = attributeName(header)
    const known = names.includes(name) ? name : PRICES.includes(name) ? 'price' : ''
    const field = `attributes.${known}`
    if (known && !Object.values(map).includes(field)) map[header] = field
  }
  return Object.keys(map).length > Object.keys(columns).length ? map : null
}
