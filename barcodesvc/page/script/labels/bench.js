/** What a person chooses on the workbench: how labels look, what they are printed on, and their symbology. */

import { change, settings } from '../settings.js'
import { useSignal } from '../ui.js'
import { changedLayout, designed, DESIGNS, filledLines, inLines, linesOf, sheetOf, USUAL_DESIGN } from './layout.js'
import { sheetNamed, UNNAMED, usualSheets } from './sheets.js'

/** @typedef {import('../types.js').Layout} Layout */
/** @typedef {import('../types.js').Line} Line */
/** @typedef {import('../types.js').SavedLayout} SavedLayout */
/** @typedef {import('../types.js').Sheet} Sheet */
/** @typedef {ReturnType<typeof useBench>} Bench */

/**
 * Return how the labels look and what they are printed on, as a person has chosen it: a design or a saved layout, its lines,
 * the sheet and the symbology.
 *
 * @param {Sheet[]} sheets
 * @param {SavedLayout[]} listed
 */
export function useBench(sheets, listed) {
  const saved = useSignal(listed)
  const chosen = useSignal(isKnown(settings().layout, listed) ? settings().layout : USUAL_DESIGN)
  const lines = useSignal(/** @type {Line[] | null} */ (null))
  const symbology = useSignal(settings().symbology)
  const present = saved.value.find(({ name }) => name === chosen.value)?.layout
  /** The name of a sheet, the size of a roll, or null for the arrangement of the layout. */
  const typed = useSignal(sheetFor(present))
  const sheet = typed.value === null ? UNNAMED : sheetNamed(sheets, typed.value)
  const baseFor = (/** @type {string[]} */ attributes) => inLines(present ?? designed(chosen.value, attributes))
  const linesFor = (/** @type {string[]} */ attributes) => lines.value ?? linesOf(baseFor(attributes))

  /** @param {string} name of a saved layout, or a design */
  function choose(name) {
    const layout = saved.value.find((each) => each.name === name)?.layout
    if (layout || present) typed.value = sheetFor(layout)
    chosen.value = name
    lines.value = null
    change({ layout: name })
  }

  return {
    saved: saved.value,
    chosen: chosen.value,
    symbology: symbology.value,
    sheetName: typed.value,
    /** The sheet, or null if the size of a roll is invalid. */
    sheet,
    /** Whether the layout arranges labels by its measures. */
    isArranged: present !== undefined && !sheetOf(present),
    isSaved: present !== undefined,
    choose,
    /** @type {(known: SavedLayout[], name: string) => void} */
    setSaved(known, name) {
      saved.value = known
      choose(name)
    },
    setLines: (/** @type {Line[]} */ changed) => void (lines.value = changed),
    setSymbology(/** @type {string} */ name) {
      symbology.value = name
      change({ symbology: name })
    },
    chooseSheet(/** @type {string | null} */ name) {
      const known = name === null ? null : sheetNamed(sheets, name)
      typed.value = name
      if (known && !present) change({ sheet: known.sheet })
    },
    linesFor,
    /**
     * Return the layout of the page for products with these attributes; a saved one keeps its sheet, unless one is given.
     *
     * @type {(on: Sheet | null, attributes: string[]) => Layout}
     */
    layoutOn: (on, attributes) =>
      changedLayout(baseFor(attributes), on?.sheet ?? '', filledLines(linesFor(attributes))),
  }
}

/**
 * Return the name of the sheet of a layout, null if it has measures instead; without a layout, of the sheet used last.
 *
 * @type {(layout: Layout | undefined) => string | null}
 */
function sheetFor(layout) {
  return layout ? sheetOf(layout) || null : settings().sheet || usualSheets()[0]
}

/** @type {(name: string, saved: SavedLayout[]) => boolean} */
function isKnown(name, saved) {
  return DESIGNS.includes(name) || saved.some((each) => each.name === name)
}
