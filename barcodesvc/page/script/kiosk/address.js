/**
 * What the address of a kiosk names: a sheet or a saved layout, a printer and a symbology; what it misspells, and the orders
 * that follow from it.
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
/** @typedef {import('../types.js').Sheet} Sheet */
/** @typedef {import('../types.js').Printer} Printer */

/**
 * What the address names, or else the settings; an empty sheet is that of the layout, an empty layout none. `design` is a
 * layout that is not saved; `named` is the sheet of the address. Without a printer, the browser prints.
 *
 * @typedef {{layout: string, design: Layout | null, printer: string, named: string, sheet: string, symbology: string}} Wanted
 */

/** What is wrong; `hint` is the key of the text before the known names. @typedef {{says: string, hint: string, known: string[]}} Problem */

/**
 * What the service has of it. The sheet is the one that is printed; null if only the service knows it.
 *
 * @typedef {{printer: Printer | null, layout: Layout, sheet: Sheet | null, isMatrix: boolean, problem: Problem | null}} Found
 */

/** @type {(query: URLSearchParams) => Wanted} */
export function wantedBy(query) {
  const given = query.get('design') ?? ''
  const design = parsed(given)
  const layout = query.get('layout') ?? (design ? '' : given)
  return {
    layout,
    design,
    printer: query.get('printer') ?? '',
    named: query.get('sheet') ?? '',
    sheet: query.get('sheet') ?? (layout || design ? '' : settings.sheet.value || usualSheets()[0]),
    symbology: query.get('symbology') ?? settings.symbology.value,
  }
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

/** Find what the address names. @type {(wanted: Wanted, signal: AbortSignal) => Promise<Found>} */
export async function findWanted(wanted, signal) {
  const { layout, design, printer, symbology } = wanted
  const lists = ['sheets', 'formats', ...(layout ? ['layouts'] : [])]
  const [printers, sheets, formats, layouts = []] = await Promise.all([
    printer ? listPrinters(signal) : [],
    ...lists.map((list) => ask('GET', `/api/codes/${list}`, { signal })),
  ])
  const saved = layouts.find((/** @type {any} */ each) => each.name === layout)
  const found = printers.find(({ name }) => name === printer) ?? null
  const whole = saved?.layout ?? design ?? { include_description: true }
  const sheet = sheetNamed(sheets, (found?.label ?? wanted.sheet) || (whole.sheet ?? ''))
  const format = formatNamed(formats, normalName(symbology))
  const problem =
    nameWrong('printer', printer, printers) ??
    nameWrong('layout', layout, layouts) ??
    sheetWrong(wanted, found, sheet, sheets) ??
    (format || normalName(symbology) === BEST ? null : symbologyWrong(symbology, formats))
  return { printer: found, layout: whole, sheet, isMatrix: format?.kind === 'matrix', problem }
}

/** Return the order of a task. @type {(wanted: Wanted, found: Found, task: import('./task.js').Task) => Order} */
export function orderOf({ sheet, symbology }, found, task) {
  const products = [{ code: task.product.product_code, copies: copiesOf(task) }]
  const place = sheet && { sheet, start_position: 1 }
  return { products, code_type: symbology, layout: { ...found.layout, ...place } }
}

/**
 * Return the order of one label alone, as it is printed; null if the symbol is all that is known of it.
 *
 * @type {(wanted: Wanted, found: Found | null, product: import('./task.js').Product) => Order | null}
 */
export function previewOf(wanted, found, product) {
  if (!found || (!wanted.layout && !wanted.design && !wanted.printer)) return null
  const order = orderOf(wanted, found, beginTask(product, ''))
  const whole = found.printer ? orderFor(order, found.printer) : order
  return alone(whole, found.sheet ?? UNNAMED)
}

/** Whether a label shows the name of its product. @param {Order} order */
export function namesProduct({ layout }) {
  return layout['include_description'] === true || JSON.stringify(layout).includes('{description}')
}

/** @type {(kind: 'printer' | 'layout', name: string, list: {name: string}[]) => Problem | null} */
function nameWrong(kind, name, list) {
  const known = list.map((each) => each.name)
  if (!name || known.includes(name)) return null
  return { says: text(`kiosk.${kind}.wrong`, { [kind]: name }), hint: `kiosk.address.${kind}s`, known }
}

/**
 * Return what is wrong if there is no such sheet, or the printer holds another one than the address names.
 *
 * @type {(wanted: Wanted, printer: Printer | null, sheet: Sheet | null, sheets: Sheet[]) => Problem | null}
 */
function sheetWrong({ named, sheet: usual }, printer, sheet, sheets) {
  const name = printer?.label ?? usual
  const known = sheets.map((each) => each.sheet)
  if (name && !sheet) return { says: text('kiosk.sheet.wrong', { sheet: name }), hint: 'kiosk.address', known }
  if (!printer || !named || sheetNamed(sheets, named)?.sheet === sheet?.sheet) return null
  const says = text('kiosk.sheet.other', { printer: printer.name, sheet: named })
  return { says, hint: 'kiosk.address.held', known: [printer.label] }
}

/** @type {(symbology: string, formats: Format[]) => Problem} */
function symbologyWrong(symbology, formats) {
  const known = formats.map(({ format }) => format)
  return { says: text('kiosk.symbology.wrong', { symbology }), hint: 'kiosk.address.symbologies', known }
}

/** @typedef {{format: string, kind: string, aliases: string[]}} Format */

/** @type {(formats: Format[], wanted: string) => Format | undefined} */
function formatNamed(formats, wanted) {
  return formats.find(({ format, aliases }) => [format, ...aliases].some((each) => normalName(each) === wanted))
}
