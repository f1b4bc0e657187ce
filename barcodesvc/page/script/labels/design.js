/**
 * The choice of how labels look: four designs by picture, or a layout of one's own, which is saved in the service; and what
 * changes it.
 */

import { ask, LIMITS } from '../api.js'
import { text } from '../language.js'
import { announce, Confirm } from '../in_front.js'
import { settings } from '../settings.js'
import { Button, Field, html, Select, useSignal } from '../ui.js'
import { selection } from './items.js'
import { designed, DESIGNS, layoutName, layoutOf, partsOf, placeholderName, savedOf, styled } from './layouts.js'
import { LabelLines } from './lines.js'
import { BEST, whyNotPrinted } from './orders.js'
import { usualSheets } from './sheets.js'

/** @import {Design, Layout, SavedLayout, Signal} from '../types.js' */

/** The design of a new device. */
const USUAL = ':shelf'

/** The label on a picture and the bars of a code: their sides, and a point, in mm. */
const [WIDTH, HEIGHT, MARGIN, POINT] = [58, 32, 7, 0.3528]
const BARS =
  'M0 0h2v1H0zM3 0h1v1H3zM7 0h2v1H7zM10 0h1v1h-1zM13 0h3v1h-3zM17 0h2v1h-2zM21 0h1v1h-1zM23 0h4v1h-4zM28 0h1v1h-1zM31 0h1v1h-1zM35 0h2v1h-2zM38 0h3v1h-3zM42 0h1v1h-1zM45 0h2v1h-2z'

/** Return the design that was used last on this device. @type {(saved: SavedLayout[]) => Design} */
export function lastDesign(saved) {
  const name = settings.layout.peek()
  const isKnown = DESIGNS.includes(name) || saved.some((each) => each.name === name)
  return designOf(saved, isKnown ? name : USUAL)
}

/** Return a design, which has the sheet of this device, or a saved layout, which has its own. @type {(saved: SavedLayout[], name: string) => Design} */
function designOf(saved, name) {
  const design = { saved, name, lines: null, sheet: settings.sheet.peek() || usualSheets()[0] }
  const layout = savedOf(design)
  return layout ? { ...design, sheet: layout.sheet ?? null } : design
}

/** Whether a person has changed the design since it was chosen. @param {Design} design */
export function isChanged(design) {
  return design.lines !== null || design.sheet !== designOf(design.saved, design.name).sheet
}

/** @param {{design: Signal<Design>, formats: {format: string}[], sheet: string | null}} props `sheet` is null while its size is wrong */
export function DesignCard({ design, formats, sheet }) {
  const { attributes } = selection
  const { name, saved } = design.value
  const names = saved.map((each) => each.name).sort((one, other) => one.localeCompare(other))
  const isSaved = names.includes(name)
  const choose = (/** @type {string} */ chosen, known = saved) => {
    design.value = designOf(known, chosen)
    settings.layout.value = chosen
  }
  return html`
    <section class="card design-card" aria-label=${text('labels.design')}>
      <fieldset class="designs">
        <legend class="unseen">${text('labels.design')}</legend>
        ${DESIGNS.map(
          (each) => html`
            <label key=${each} class=${each === name ? 'is-chosen' : ''}>
              <input type="radio" name="design" value=${each} checked=${each === name} onchange=${() => choose(each)} />
              <${Picture} layout=${designed(each, ['price'])} />
              <span>${text(`labels.design${each}`)}</span>
            </label>`,
        )}
      </fieldset>
      ${
        names.length > 0 &&
        html`
        <${Select} label=${text('layout')} value=${isSaved ? name : ''} changed=${(/** @type {string} */ chosen) => choose(chosen)}
          options=${[...(isSaved ? [] : [['', text('layout.none')]]), ...names.map((each) => [each, each])]} />`
      }
      <details>
        <summary>${text('labels.change')}</summary>
        <div class="stack">
          <${LabelLines} lines=${design.value.lines ?? layoutOf(design.value, '', attributes).lines} attributes=${attributes}
            change=${(/** @type {Design['lines']} */ lines) => (design.value = { ...design.value, lines })} />
          <${Select} label=${text('labels.symbology')} value=${settings.symbology}
            options=${[[BEST, text('labels.symbology.best')], ...formats.map(({ format }) => [format, format])]} />
          <${Saving} key=${name} design=${design.value} choose=${choose} wanted=${sheet === null ? null : layoutOf(design.value, sheet, attributes)} />
        </div>
      </details>
    </section>`
}

/** A label of a layout, with what its texts stand for. @param {{layout: Layout}} props */
function Picture({ layout: { lines = [], font_size: usual = 8, bar_height = 16 } }) {
  const code = styled('{product_code}')
  const all = lines.map(styled)
  const texts = [...all.filter(({ place }) => place === 'above'), code, ...all.filter(({ place }) => place === 'below')]
  const heights = texts.map(({ size }) => (size || usual) * POINT)
  const whole = heights.reduce((sum, height) => sum + 1.2 * height, 0)
  const bars = Math.min(bar_height, HEIGHT - 4 - whole)
  let y = (HEIGHT - whole - bars) / 2
  const drawn = texts.map((line, at) => {
    const [height = 0, [, placeholder = '']] = [heights[at], partsOf(line.text)]
    const symbol = html`<path d=${BARS} transform=${`translate(${MARGIN} ${y}) scale(${(WIDTH - 2 * MARGIN) / 47} ${bars})`} />`
    const name = placeholder.startsWith('{attributes.') ? text('labels.design.price') : placeholderName(placeholder)
    y += 1.2 * height + (line === code ? bars : 0)
    return html`
      ${line === code && symbol}
      <text x=${WIDTH / 2} y=${y - height * 0.2} font-size=${height} font-weight=${line.bold ? 600 : 400}>${name}</text>`
  })
  return html`<svg class="design" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">${drawn}</svg>`
}

/** Saves a layout under its name, or under another one, and deletes it. @param {{design: Design, choose: (name: string, saved: SavedLayout[]) => void, wanted: Layout | null}} props `wanted` is null while a field is wrong */
function Saving({ design, choose, wanted }) {
  const { name, saved } = design
  const isSaved = savedOf(design) !== undefined
  const typed = useSignal(isSaved ? name : '')
  const problem = useSignal('')
  const isAsking = useSignal(false)
  const wantedName = layoutName(typed.value)
  const addressOf = (/** @type {string} */ of) => `/api/codes/layouts/${encodeURIComponent(of)}`
  const others = (/** @type {string} */ of) => saved.filter((each) => each.name !== of)
  const failed = (/** @type {unknown} */ error) => void (problem.value = whyNotPrinted(error, ''))
  const remove = () => void ask('DELETE', addressOf(name)).then(() => choose(USUAL, others(name)), failed)
  const save = (/** @type {Event} */ event) => {
    event.preventDefault()
    const isTaken = wantedName !== name && saved.some((each) => each.name === wantedName)
    const wrong = isTaken ? text('layout.name.taken', { name: wantedName }) : text('layout.name.wrong')
    problem.value = isTaken || !wantedName ? wrong : ''
    if (problem.value) return
    void ask('PUT', addressOf(wantedName), { body: wanted }).then((layout) => {
      choose(wantedName, [...others(wantedName), layout])
      announce(text('layout.saved', { name: wantedName }))
    }, failed)
  }
  return html`
    <form onsubmit=${save} novalidate>
      <${Field} label=${text('layout.name')} value=${typed} problem=${problem.value} hint=${text('layout.name.rule')}
        maxlength=${LIMITS.layout_name} autocomplete="off" />
      <div class="row">
        <button disabled=${!wanted || (isSaved && wantedName === name && !isChanged(design))}>${text('save')}</button>
        ${isSaved && html`<${Button} kind="text" onclick=${() => (isAsking.value = true)}>${text('product.delete')}<//>`}
      </div>
    </form>
    ${
      isAsking.value &&
      html`
        <${Confirm} title=${text('layout.delete.title', { name })} action=${text('product.delete')}
          closed=${() => (isAsking.value = false)} confirmed=${remove}>
          <p>${text('layout.delete.why')}</p>
        <//>`
    }`
}
