/** The sheet that is printed on: that of this device, that of a saved layout, or what is in a printer. */

import { element } from '../dom.js'
import { text } from '../language.js'
import { change, settings } from '../settings.js'
import { sheetNamed, usualSheets } from './sheets.js'
import { sheetChoice } from './sheet_choice.js'
import { sheetName } from './sheet_name.js'

/** @typedef {import('./sheets.js').Sheet} Sheet */

/**
 * @param {Sheet[]} sheets that the service knows by name
 * @param {() => void} changed called when a person has chosen another sheet
 */
export function usedSheet(sheets, changed) {
  /** Whether the sheet is that of a saved layout, and not this device's. */
  let isOfLayout = false
  /** What is in the printer, which cannot be changed here. @type {Sheet | null} */
  let held = null
  const choice = sheetChoice(text('labels.sheet'), sheets, settings().sheet, choose)
  const choosing = element('div', { class: 'choosing' }, ...choice.nodes)
  const holds = element('p', { hidden: true })

  /** @param {Sheet | null} sheet */
  function choose(sheet) {
    if (sheet && !isOfLayout) change({ sheet: sheet.sheet })
    changed()
  }

  return {
    nodes: [choosing, holds],
    /** Return the sheet, or null if the size of a roll is invalid. */
    sheet: () => held ?? choice.sheet(),
    /**
     * Show the sheet of a saved layout, empty for its arrangement, or null for the sheet of this device.
     *
     * @param {string | null} name
     */
    follow(name) {
      isOfLayout = name !== null
      choice.show(name ?? (settings().sheet || usualSheets()[0]))
    },
    /**
     * Show what is in a printer instead of the choice; null shows the choice.
     *
     * @param {string | null} name of a sheet or a roll
     */
    hold(name) {
      held = name ? sheetNamed(sheets, name) : null
      choosing.hidden = held !== null
      holds.hidden = held === null
      holds.textContent = held ? text('printer.holds', { sheet: sheetName(held) }) : ''
    },
  }
}
