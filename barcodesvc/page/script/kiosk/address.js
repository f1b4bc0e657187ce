/**
 * What the address of a kiosk names: a sheet or a layout, a printer and a symbology; what it misspells, and the orders that
 * follow from it.
 */

import { ask } from '../api.js'
import { BEST, orderFor } from '../labels/orders.js'
import { normalName, sheetNamed, usualSheets } from '../labels/sheets.js'
import { text } from '../language.js'
import { listPrinters } from '../printers/jobs.js'
import { settings } from '../settings.js'
import { copiesOf } from './task.js'

/** @import {Layout, Order, Printer, SavedLayout, Sheet} from '../types.js' */

/** What the address names, or else the settings; a `design` is a layout that is not saved. An empty sheet is that of the layout or the printer. @typedef {ReturnType<typeof wantedBy>} Wanted */
/** What the service has of it; the sheet is null if only the service knows it. @typedef {{printer: Printer | null, layout: Layout, sheet: Sheet | null, problem: import('./kiosk.js').Says | null}} Found */

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
  /** @type {[Printer[], SavedLayout[], Sheet[], {format: string, aliases: string[]}[]]} */
  const [printers, layouts, sheets, formats] = await Promise.all([
    names.printer ? listPrinters(signal) : [],
    names.layout ? load('layouts') : [],
    load('sheets'),
    load('formats'),
  ])
  const printer = printers.find(({ name }) => name === names.printer) ?? null
  const saved = layouts.find(({ name }) => name === names.layout)
  const layout = saved?.layout ?? design ?? { include_description: true }
  const sheet = sheetNamed(sheets, (printer?.label ?? names.sheet) || (layout.sheet ?? ''))
  const named = sheetNamed(sheets, names.sheet)
  const symbologies = [BEST, ...formats.flatMap(({ format, aliases }) => [format, ...aliases])].map(normalName)
  const problem = firstWrong(names, [
    ['printer', !names.printer || printer, printers.map(({ name }) => name)],
    ['layout', !names.layout || saved, layouts.map(({ name }) => name)],
    ['sheet', !names.sheet || named, [...sheets.map((each) => each.sheet), '50x30mm']],
    ['held', !printer || !named || named.sheet === sheet?.sheet, printer ? [printer.label] : []],
    ['symbology', symbologies.includes(normalName(names.symbology)), formats.map(({ format }) => format)],
  ])
  return { printer, layout, sheet, problem }
}

/** @type {(names: Record<string, string>, checks: [name: string, isRight: unknown, known: string[]][]) => Found['problem']} */
function firstWrong(names, checks) {
  const [wrong, , known = []] = checks.find(([, isRight]) => !isRight) ?? []
  const line = `${text('kiosk.address')} ${known.join(' · ') || '–'}`
  return wrong ? { title: text(`kiosk.${wrong}.wrong`, names), tone: 'bad', line } : null
}

/** Return the order of a task. @type {(symbology: string, found: Found, task: import('./task.js').Task) => Order} */
export function orderOf(symbology, { printer, sheet, layout }, task) {
  const products = [{ code: task.product.product_code, copies: copiesOf(task) }]
  const order = { products, code_type: symbology, layout }
  if (printer) return orderFor(order, printer)
  return { ...order, layout: { ...layout, ...(sheet && { sheet: sheet.sheet, start_position: 1 }) } }
}
