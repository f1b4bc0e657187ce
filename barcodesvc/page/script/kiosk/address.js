/**
 * What the address of a kiosk names: a sheet or a layout, a printer and a symbology; what it misspells, and the orders that
 * follow from it.
 */

import { ask } from '../api.js'
import { alone, BEST, orderFor } from '../labels/orders.js'
import { normalName, sheetNamed, UNNAMED, usualSheets } from '../labels/sheets.js'
import { text } from '../language.js'
import { listPrinters } from '../printers/jobs.js'
import { settings } from '../settings.js'
import { beginTask, copiesOf } from './task.js'

/** @typedef {import('../types.js').Layout} Layout */
/** @typedef {import('../types.js').Order} Order */
/** @typedef {import('../types.js').Printer} Printer */
/** @typedef {import('../types.js').Sheet} Sheet */

/** What the address names, or else the settings; a `design` is a layout that is not saved. An empty sheet is that of the layout or the printer. @typedef {ReturnType<typeof wantedBy>} Wanted */

/** What the service has of it; the sheet is null if only the service knows it. @typedef {{printer: Printer | null, layout: Layout, sheet: Sheet | null, problem: {says: string, hint: string, known: string[]} | null}} Found */

/** @param {URLSearchParams} query */
export function wantedBy(query) {
  const given = query.get('design') ?? ''
  const design = parsed(given)
  const layout = query.get('layout') ?? (design ? '' : given)
  const printer = query.get('printer') ?? ''
  const usual = layout || design || printer ? '' : settings.sheet.value || usualSheets()[0]
  const [sheet, symbology] = [query.get('sheet') ?? usual, query.get('symbology') ?? settings.symbology.value]
  return { layout, design, printer, sheet, symbology }
}

/** Return the layout that a text is, or null. @type {(json: string) => Layout | null} */
function parsed(json) {
  try {
    const layout = JSON.parse(json)
    return layout instanceof Object && !Array.isArray(layout) ? layout : null
  } catch {
    return null
  }
}

/** Find what the address names, and the first that it misspells. @type {(wanted: Wanted, signal: AbortSignal) => Promise<Found>} */
export async function findWanted({ design, ...names }, signal) {
  const load = (/** @type {string} */ list) => ask('GET', `/api/codes/${list}`, { signal })
  const [printers, layouts, sheets, formats] = await Promise.all([
    names.printer ? listPrinters(signal) : [],
    names.layout ? load('layouts') : [],
    load('sheets'),
    load('formats'),
  ])
  const printer = printers.find(({ name }) => name === names.printer) ?? null
  const saved = layouts.find((/** @type {any} */ { name }) => name === names.layout)
  const layout = saved?.layout ?? design ?? { include_description: true }
  const sheet = sheetNamed(sheets, (printer?.label ?? names.sheet) || (layout.sheet ?? ''))
  const named = sheetNamed(sheets, names.sheet)
  const symbologies = formats.flatMap((/** @type {any} */ { format, aliases }) => [format, ...aliases])
  const isSymbology = [BEST, ...symbologies].map(normalName).includes(normalName(names.symbology))
  const problem = firstWrong(names, [
    ['printer', !names.printer || printer, printers.map(({ name }) => name)],
    ['layout', !names.layout || saved, layouts.map((/** @type {any} */ { name }) => name)],
    ['sheet', !names.sheet || named, [...sheets.map((/** @type {Sheet} */ each) => each.sheet), '50x30mm']],
    ['held', !printer || !named || named.sheet === sheet?.sheet, printer ? [printer.label] : []],
    ['symbology', isSymbology, formats.map((/** @type {any} */ { format }) => format)],
  ])
  return { printer, layout, sheet, problem }
}

/** @type {(names: Record<string, string>, checks: [name: string, isRight: unknown, known: string[]][]) => Found['problem']} */
function firstWrong(names, checks) {
  const [wrong, , known = []] = checks.find(([, isRight]) => !isRight) ?? []
  return wrong ? { says: text(`kiosk.${wrong}.wrong`, names), hint: text('kiosk.address'), known } : null
}

/** Return the order of a task. @type {(symbology: string, found: Found, task: import('./task.js').Task) => Order} */
export function orderOf(symbology, { printer, sheet, layout }, task) {
  const products = [{ code: task.product.product_code, copies: copiesOf(task) }]
  const order = { products, code_type: symbology, layout }
  if (printer) return orderFor(order, printer)
  return { ...order, layout: { ...layout, ...(sheet && { sheet: sheet.sheet, start_position: 1 }) } }
}

/** Return the order of one label alone, as it is printed. @type {(symbology: string, found: Found, product: import('./task.js').Product) => Order} */
export function previewOf(symbology, found, product) {
  return alone(orderOf(symbology, found, beginTask(product, '')), found.sheet ?? UNNAMED)
}
