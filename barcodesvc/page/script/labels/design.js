/** How labels look: four designs to choose by picture, or a layout of one's own, which is saved in the service. */

import { ask, LIMITS } from '../api.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { Button, Confirm, Dialog, Field, html, Select, useSignal } from '../ui.js'
import { designed, DESIGNS, isSame, layoutName, linesOf, USUAL_DESIGN } from './layout.js'
import { partsOf, placeholderName } from './placeholders.js'
import { whyNotPrinted } from './printing.js'

/** @typedef {import('../types.js').Layout} Layout */
/** @typedef {import('../types.js').SavedLayout} SavedLayout */

/** Sides of the label on a picture, and a point, in mm. */
const WIDTH = 58
const HEIGHT = 32
const POINT = 0.3528

/**
 * @param {{chosen: string, choose: (design: string) => void}} props
 */
export function DesignChoice({ chosen, choose }) {
  return html`
    <fieldset class="designs">
      <legend class="unseen">${text('labels.design')}</legend>
      ${DESIGNS.map(
        (design) => html`
          <label key=${design} class=${design === chosen ? 'is-chosen' : ''}>
            <input type="radio" name="design" value=${design} checked=${design === chosen} onchange=${() => choose(design)} />
            <${Picture} layout=${designed(design, ['price'])} />
            <span>${text(`labels.design${design}`)}</span>
          </label>`,
      )}
    </fieldset>`
}

/** A label of a layout, with what its texts stand for. @param {{layout: Layout}} props */
function Picture({ layout }) {
  const { font_size: usual = 8, bar_height: wanted = 16 } = /** @type {Record<string, number>} */ (layout)
  const lines = linesOf(layout).map((line) => (typeof line === 'string' ? { text: line } : line))
  const sized = lines.map((line) => ({ size: usual, ...line }))
  const [before, after] = [true, false].map((isAbove) => sized.filter(({ place }) => (place === 'above') === isAbove))
  const height = (/** @type {{size: number}[]} */ some) => some.reduce((sum, { size }) => sum + size * POINT * 1.2, 0)
  const [room = 0, below = 0] = [height(before ?? []), height([...(after ?? []), { size: usual }])]
  const bars = Math.min(wanted, HEIGHT - 4 - room - below)
  let y = (HEIGHT - room - bars - below) / 2
  const written = (/** @type {{text: string, size?: number, bold?: boolean}} */ { text: line, size = usual, bold }) => {
    y += size * POINT
    const [, placeholder = ''] = partsOf(line)
    const says = placeholder.startsWith('{attributes.') ? text('labels.design.price') : placeholderName(placeholder)
    const at = y
    y += size * POINT * 0.2
    return html`<text x=${WIDTH / 2} y=${at} font-size=${size * POINT} font-weight=${bold ? 600 : 400}>${says}</text>`
  }
  const above = (before ?? []).map(written)
  const top = y
  y += bars
  return html`
    <svg class="design" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      ${above}
      <path d=${barsAt(top, bars)} />
      ${[{ text: '{product_code}', size: usual }, ...(after ?? [])].map(written)}
    </svg>`
}

/** Return bars that look like a code. @type {(top: number, height: number) => string} */
function barsAt(top, height) {
  const runs = [2, 1, 1, 3, 2, 1, 1, 2, 3, 1, 2, 2, 1, 1, 4, 1, 1, 2, 1, 3, 2, 1, 3, 1, 1, 2, 2]
  const module = (WIDTH - 14) / runs.reduce((sum, run) => sum + run, 0)
  let x = 7
  return runs
    .map((run, at) => {
      const bar = at % 2 ? '' : `M${x} ${top}h${run * module}v${height}h${-run * module}z`
      x += run * module
      return bar
    })
    .join('')
}

/** The choice of a saved layout, if there is one. @param {{saved: SavedLayout[], chosen: string, choose: (name: string) => void}} props */
export function SavedLayouts({ saved, chosen, choose }) {
  if (!saved.length) return null
  const names = saved.map(({ name }) => name).sort((one, other) => one.localeCompare(other))
  const isSaved = names.includes(chosen)
  return html`
    <${Select} label=${text('layout')} value=${isSaved ? chosen : ''} changed=${choose}
      options=${[...(isSaved ? [] : [['', text('layout.none')]]), ...names.map((name) => [name, name])]} />`
}

/**
 * What saves a layout under its name, under another one, or deletes it.
 *
 * @param {object} props
 * @param {SavedLayout[]} props.saved
 * @param {string} props.chosen name of a saved layout, or a design
 * @param {Layout | null} props.wanted the layout as the page has it, null while a field is wrong
 * @param {(saved: SavedLayout[], chosen: string) => void} props.changed called with the layouts that are there now
 */
export function SavingLayouts({ saved, chosen, wanted, changed }) {
  const dialog = useSignal(/** @type {'' | 'name' | 'delete'} */ (''))
  const problem = useSignal('')
  const present = saved.find(({ name }) => name === chosen)
  const others = (/** @type {string} */ gone) => saved.filter(({ name }) => name !== gone)
  const put = (/** @type {string} */ name) =>
    attempted(async () => {
      const layout = await ask('PUT', addressOf(name), { body: wanted ?? {} })
      changed([...others(name), layout], name)
      announce(text('layout.saved', { name }))
    })
  const remove = () =>
    attempted(async () => {
      await ask('DELETE', addressOf(chosen))
      changed(others(chosen), USUAL_DESIGN)
    })
  const close = () => void (dialog.value = '')
  const save = async () => (problem.value = await put(chosen))
  return html`
    <div class="row">
      ${
        present &&
        html`<${Button} disabled=${!wanted || isSame(wanted, present.layout)} onclick=${save}>${text('save')}<//>`
      }
      <${Button} kind=${present ? 'text' : ''} onclick=${() => (dialog.value = 'name')}>${text('layout.save-as')}<//>
      ${present && html`<${Button} kind="text" onclick=${() => (dialog.value = 'delete')}>${text('product.delete')}<//>`}
    </div>
    <p class="problem" role="alert">${problem}</p>
    ${dialog.value === 'name' && html`<${NameDialog} taken=${saved.map(({ name }) => name)} save=${put} closed=${close} />`}
    ${
      dialog.value === 'delete' &&
      html`
        <${Confirm} title=${text('layout.delete.title', { name: chosen })} action=${text('product.delete')} closed=${close}
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
    const name = layoutName(typed.value)
    const isTaken = taken.includes(name)
    problem.value = isTaken ? text('layout.name.taken', { name }) : name ? '' : text('layout.name.wrong')
    if (problem.value) return
    isBusy.value = true
    problem.value = await save(name)
    isBusy.value = false
    if (!problem.value) closed()
  }
  return html`
    <${Dialog} title=${text('layout.name.title')} aria-label=${text('layout.name.title')} closed=${closed}>
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
