/** What the address of a kiosk names: a sheet or a saved layout, a printer and a symbology, and what it misspells. */

import { ask } from '../api.js'
import { sheetOf } from '../labels/layout.js'
import { text } from '../language.js'
import { listPrinters } from '../printers/jobs.js'
import { settings } from '../settings.js'
import { normalName, sheetNamed, usualSheets } from '../labels/sheets.js'
import { BEST } from '../labels/symbology_choice.js'

/** @typedef {import('../labels/sheets.js').Sheet} Sheet */

/**
 * What the address names, or else the settings; an empty sheet is that of the layout, an empty layout none. `named` is the
 * sheet of the address. Without a printer, the browser prints.
 *
 * @typedef {{layout: string, printer: string, named: string, sheet: string, symbology: string}} Wanted
 */

/**
 * What the service has of it.
 *
 * @typedef {object} Found
 * @property {import('../types.js').Printer | null} printer
 * @property {import('../labels/layout.js').Layout} layout
 * @property {Sheet | null} sheet that is printed; null if only the service knows it
 * @property {boolean} isMatrix whether the symbology is a matrix code
 * @property {Problem | null} problem
 *
 * @typedef {{says: string, hint: string, known: string[]}} Problem what is wrong; `hint` is the key of the text before the
 * known names
 */

/**
 * @param {URLSearchParams} query
 * @returns {Wanted}
 */
export function wantedBy(query) {
  const layout = query.get('layout') ?? ''
  return {
    layout,
    printer: query.get('printer') ?? '',
    named: query.get('sheet') ?? '',
    sheet: query.get('sheet') ?? (layout ? '' : settings().sheet || usualSheets()[0]),
    symbology: query.get('symbology') ?? settings().symbology,
  }
}

/**
 * Find what the address names.
 *
 * @param {Wanted} wanted
 * @param {AbortSignal} signal
 * @returns {Promise<Found>}
 */
export async function findWanted(wanted, signal) {
  const { layout, printer, symbology } = wanted
  const lists = ['sheets', 'formats', ...(layout ? ['layouts'] : [])]
  const [printers, sheets, formats, layouts = []] = await Promise.all([
    printer ? listPrinters(signal) : [],
    ...lists.map((list) => ask('GET', `/api/codes/${list}`, { signal })),
  ])
  const saved = layouts.find((/** @type {any} */ each) => each.name === layout)
  const found = printers.find(({ name }) => name === printer) ?? null
  const sheet = sheetNamed(sheets, (found?.label ?? wanted.sheet) || sheetOf(saved?.layout ?? {}))
  const format = formatNamed(formats, normalName(symbology))
  const problem =
    nameWrong('printer', printer, printers) ??
    nameWrong('layout', layout, layouts) ??
    sheetWrong(wanted, found, sheet, sheets) ??
    (format || normalName(symbology) === BEST ? null : symbologyWrong(symbology, sheets))
  return { printer: found, layout: saved?.layout ?? {}, sheet, isMatrix: format?.kind === 'matrix', problem }
}

/**
 * @param {'printer' | 'layout'} kind
 * @param {string} name
 * @param {{name: string}[]} list
 */
function nameWrong(kind, name, list) {
  const known = list.map((each) => each.name)
  if (!name || known.includes(name)) return null
  return { says: text(`kiosk.${kind}.wrong`, { [kind]: name }), hint: `kiosk.address.${kind}s`, known }
}

/**
 * Return what is wrong if there is no such sheet, or the printer holds another one than the address names.
 *
 * @param {Wanted} wanted
 * @param {import('../types.js').Printer | null} printer
 * @param {Sheet | null} sheet
 * @param {Sheet[]} sheets
 */
function sheetWrong({ named, sheet: usual }, printer, sheet, sheets) {
  const name = printer?.label ?? usual
  if (name && !sheet)
    return { says: text('kiosk.sheet.wrong', { sheet: name }), hint: 'kiosk.address', known: namesOf(sheets) }
  if (!printer || !named || sheetNamed(sheets, named)?.sheet === sheet?.sheet) return null
  const says = text('kiosk.sheet.other', { printer: printer.name, sheet: named })
  return { says, hint: 'kiosk.address.held', known: [printer.label] }
}

/**
 * @param {string} symbology
 * @param {Sheet[]} sheets
 */
function symbologyWrong(symbology, sheets) {
  return { says: text('kiosk.symbology.wrong', { symbology }), hint: 'kiosk.address', known: namesOf(sheets) }
}

/** @param {Sheet[]} sheets */
function namesOf(sheets) {
  return sheets.map(({ sheet }) => sheet)
}

/**
 * @param {{format: string, kind: string, aliases: string[]}[]} formats
 * @param {string} wanted
 */
function formatNamed(formats, wanted) {
  return formats.find(({ format, aliases }) => [format, ...aliases].some((each) => normalName(each) === wanted))
}
