/**
 * How labels look: four designs to choose by picture, or a layout of one's own, which is saved in the service; and on which
 * sheet.
 */

import { ask, LIMITS } from '../api.js'
import { text } from '../language.js'
import { announce, Confirm, Dialog } from '../in_front.js'
import { settings } from '../settings.js'
import { Button, Field, html, Select, useSignal } from '../ui.js'
import { selection } from './items.js'
import * as layouts from './layouts.js'
import { LabelLines } from './lines.js'
import { BEST, whyNotPrinted } from './orders.js'
import { usualSheets } from './sheets.js'

/** @typedef {import('../types.js').Design} Design */
/** @typedef {import('../types.js').Layout} Layout */
/** @typedef {import('../types.js').SavedLayout} SavedLayout */
/** @typedef {import('../types.js').StyledLine} StyledLine */
/** @typedef {import('../types.js').Signal<Design>} DesignSignal */

/** Sides of the label on a picture, and a point, in mm. */
const WIDTH = 58
const HEIGHT = 32
const POINT = 0.3528

/** Bars that look like a code, one high, and their width. */
const BARS =
  'M0 0h2v1H0zM3 0h1v1H3zM7 0h2v1H7zM10 0h1v1h-1zM13 0h3v1h-3zM17 0h2v1h-2zM21 0h1v1h-1zM23 0h4v1h-4zM28 0h1v1h-1zM31 0h1v1h-1zM35 0h2v1h-2zM38 0h3v1h-3zM42 0h1v1h-1zM45 0h2v1h-2z'
const BARS_WIDTH = 47

/** Return the design that was used last on this device. @type {(saved: SavedLayout[]) => Design} */
export function lastDesign(saved) {
  const name = settings.layout.peek()
  const isKnown = layouts.DESIGNS.includes(name) || saved.some((each) => each.name === name)
  return chosenOf({ saved, name: '', lines: null, sheet: null }, isKnown ? name : layouts.USUAL_DESIGN)
}

/** Return another design or saved layout, with its sheet. A design has the sheet of this device. @type {(design: Design, name: string) => Design} */
export function chosenOf(design, name) {
  const chosen = { ...design, name, lines: null }
  const layout = savedOf(chosen)
  const sheet = layout ? layouts.sheetOf(layout) || null : settings.sheet.peek() || usualSheets()[0]
  return { ...chosen, sheet: layout || savedOf(design) || !design.name ? sheet : design.sheet }
}

/** Return the saved layout that is chosen. @param {Design} design */
export function savedOf({ saved, name }) {
  return saved.find((each) => each.name === name)?.layout
}

/** Return the layout as it is now, for products with these attributes; without a sheet a saved one keeps its own. @type {(design: Design, sheet: string, attributes: string[]) => Layout} */
export function layoutOf(design, sheet, attributes) {
  const layout = layouts.inLines(savedOf(design) ?? layouts.designed(design.name, attributes))
  return layouts.changedLayout(layout, sheet, layouts.filledLines(design.lines ?? layouts.linesOf(layout)))
}

/** @param {{design: DesignSignal, formats: {format: string}[], sheet: string | null}} props `sheet` is null while its size is wrong */
export function DesignCard({ design, formats, sheet }) {
  const { attributes } = selection
  const { name, saved } = design.value
  const names = saved.map((each) => each.name).sort((one, other) => one.localeCompare(other))
  const known = names.includes(name) ? names : ['', ...names]
  const choose = (/** @type {string} */ chosen) => {
    design.value = chosenOf(design.value, chosen)
    settings.layout.value = chosen
  }
  const lines = design.value.lines ?? layouts.linesOf(layoutOf(design.value, '', attributes))
  return html`
    <section class="card design-card" aria-label=${text('labels.design')}>
      <fieldset class="designs">
        <legend class="unseen">${text('labels.design')}</legend>
        ${layouts.DESIGNS.map(
          (each) => html`
            <label key=${each} class=${each === name ? 'is-chosen' : ''}>
              <input type="radio" name="design" value=${each} checked=${each === name} onchange=${() => choose(each)} />
              <${Picture} layout=${layouts.designed(each, ['price'])} />
              <span>${text(`labels.design${each}`)}</span>
            </label>`,
        )}
      </fieldset>
      ${
        names.length > 0 &&
        html`
        <${Select} label=${text('layout')} value=${names.includes(name) ? name : ''} changed=${choose}
          options=${known.map((each) => [each, each || text('layout.none')])} />`
      }
      <details>
        <summary>${text('labels.change')}</summary>
        <div class="stack">
          <${LabelLines} ...${{ lines, attributes }}
            change=${(/** @type {import('../types.js').Line[]} */ changed) => (design.value = { ...design.value, lines: changed })} />
          <${Select} label=${text('labels.symbology')} value=${settings.symbology}
            options=${[[BEST, text('labels.symbology.best')], ...formats.map(({ format }) => [format, format])]} />
          <${Saving} design=${design} choose=${choose} wanted=${sheet === null ? null : layoutOf(design.value, sheet, attributes)} />
        </div>
      </details>
    </section>`
}

/** A label of a layout, with what its texts stand for. @param {{layout: Layout}} props */
function Picture({ layout }) {
  const { font_size: usual = 8, bar_height: wanted = 16 } = /** @type {Record<string, number>} */ (layout)
  const lines = layouts.linesOf(layout).map(layouts.styled)
  const [above, below] = ['above', 'below'].map((place) => lines.filter((line) => line.place === place))
  const code = layouts.styled('{product_code}')
  const heightOf = (/** @type {StyledLine} */ { size }) => (size || usual) * POINT
  const texts = [...lines, code].reduce((sum, line) => sum + heightOf(line) * 1.2, 0)
  const bars = Math.min(wanted, HEIGHT - 4 - texts)
  let y = (HEIGHT - texts - bars) / 2
  const written = (/** @type {StyledLine} */ line) => {
    const [height, [, placeholder = '']] = [heightOf(line), layouts.partsOf(line.text)]
    const says = placeholder.startsWith('{attributes.')
      ? text('labels.design.price')
      : layouts.placeholderName(placeholder)
    y += height * 1.2
    return html`<text x=${WIDTH / 2} y=${y - height * 0.2} font-size=${height} font-weight=${line.bold ? 600 : 400}>${says}</text>`
  }
  const drawn = (above ?? []).map(written)
  const place = `translate(7 ${y}) scale(${(WIDTH - 14) / BARS_WIDTH} ${bars})`
  y += bars
  return html`
    <svg class="design" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      ${drawn}<path d=${BARS} transform=${place} />${[code, ...(below ?? [])].map(written)}
    </svg>`
}

/**
 * What saves a layout under its name, under another one, or deletes it.
 *
 * @param {{design: DesignSignal, choose: (name: string) => void, wanted: Layout | null}} props `wanted` is null while a field is wrong
 */
function Saving({ design, choose, wanted }) {
  const dialog = useSignal(/** @type {'' | 'name' | 'delete'} */ (''))
  const problem = useSignal('')
  const { name, saved } = design.value
  const present = savedOf(design.value)
  const others = (/** @type {string} */ than) => saved.filter((each) => each.name !== than)
  const put = (/** @type {string} */ as) =>
    attempted(async () => {
      const layout = await ask('PUT', addressOf(as), { body: wanted ?? {} })
      design.value = { ...design.value, saved: [...others(as), layout] }
      choose(as)
      announce(text('layout.saved', { name: as }))
    })
  const remove = () =>
    attempted(async () => {
      await ask('DELETE', addressOf(name))
      choose(layouts.USUAL_DESIGN)
      design.value = { ...design.value, saved: others(name) }
    })
  const close = () => void (dialog.value = '')
  const isSaved = !wanted || (present && layouts.isSame(wanted, present))
  return html`
    <div class="row">
      ${present && html`<${Button} disabled=${isSaved} onclick=${async () => (problem.value = await put(name))}>${text('save')}<//>`}
      <${Button} kind=${present ? 'text' : ''} onclick=${() => (dialog.value = 'name')}>${text('layout.save-as')}<//>
      ${present && html`<${Button} kind="text" onclick=${() => (dialog.value = 'delete')}>${text('product.delete')}<//>`}
    </div>
    <p class="problem" role="alert">${problem}</p>
    ${dialog.value === 'name' && html`<${NameDialog} taken=${saved.map((each) => each.name)} save=${put} closed=${close} />`}
    ${
      dialog.value === 'delete' &&
      html`
        <${Confirm} title=${text('layout.delete.title', { name })} action=${text('product.delete')} closed=${close}
          confirmed=${async () => (problem.value = await remove())}>
          <p>${text('layout.delete.why')}</p>
        <//>`
    }`
}

/**
 * Asks for the name of a layout, and stays while it is not saved.
 *
 * @param {{taken: string[], save: (name: string) => Promise<string>, closed: () => void}} props
 */
function NameDialog({ taken, save, closed }) {
  const [typed, problem, isBusy] = [useSignal(''), useSignal(''), useSignal(false)]
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault()
    const name = layouts.layoutName(typed.value)
    const isTaken = taken.includes(name)
    problem.value = isTaken ? text('layout.name.taken', { name }) : name ? '' : text('layout.name.wrong')
    if (problem.value) return
    isBusy.value = true
    problem.value = await save(name)
    isBusy.value = false
    if (!problem.value) closed()
  }
  return html`
    <${Dialog} title=${text('layout.name.title')} closed=${closed}>
      <form onsubmit=${submit} novalidate>
        <${Field} label=${text('layout.name')} value=${typed} problem=${problem.value} hint=${text('layout.name.rule')}
          maxlength=${LIMITS.layout_name} autocomplete="off" required />
        <div class="row apart">
          <${Button} kind="text" onclick=${closed}>${text('cancel')}<//>
          <button class="main" disabled=${isBusy.value}>${text('save')}</button>
        </div>
      </form>
    <//>`
}

/** @param {string} name */
function addressOf(name) {
  return `/api/codes/layouts/${encodeURIComponent(name)}`
}

/** Return why something failed, or an empty text. @type {(act: () => Promise<void>) => Promise<string>} */
function attempted(act) {
  return act().then(
    () => '',
    (error) => whyNotPrinted(error, ''),
  )
}
