/**
 * Movements, and stock changes of this device, which look the same in each list: by how much, of what, and below that what the
 * level became, who did it, when and why. A list has the newest first; each can be undone once, and those of one import are a
 * row that opens.
 */

import { ask, LIMITS } from './api.js'
import { authorName } from './bookings/store.js'
import { moment, number, signed } from './formats.js'
import { text } from './language.js'
import { announce } from './in_front.js'
import { Button, Difference, errorText, Failure, Fragment, html, IconButton, Loading, Mark } from './ui.js'
import { signal, useLayoutEffect, useRef, useRequest, useSignal } from './ui.js'

/** @typedef {import('./types.js').Children} Children */
/** @typedef {import('./types.js').Movement} Movement */
/** @typedef {{found: Movement[], isFull: boolean, before: number}} Page the movements behind one, or the newest if that is 0 */

/** Movements of one page; and of each further one, while an import goes on; and of all pages that this takes. */
const PAGE = 50
const LARGE_PAGE = 1000
const MOST = 5000

/** What a list shows: nothing yet. A new value of `wanted` loads the newest movements again, or those behind one. */
export function newList() {
  return {
    shown: signal(/** @type {readonly Movement[]} */ ([])),
    hasOlder: signal(/** @type {boolean | undefined} */ (undefined)),
    wanted: signal({ before: 0 }),
  }
}

/** `load` asks for some movements; `undone` is called with the one that an undo made. @param {{list: ReturnType<typeof newList>, load: (place: object, signal: AbortSignal) => Promise<Movement[]>, none: string, undone: (made: Movement) => void}} props */
export function MovementList({ list: { shown, hasOlder, wanted }, load, none, undone }) {
  const node = useRef(/** @type {HTMLElement | null} */ (null))
  const [opened, focused] = [useSignal(/** @type {readonly unknown[]} */ ([])), useRef(0)]
  const { data, error, isUnderWay, again } = useRequest(
    (ended) => pageOf((place) => load(place, ended), wanted.value.before, shown.peek().length),
    [wanted.value],
  )
  useLayoutEffect(() => {
    if (!data) return
    const kept = withPage(shown.peek(), data)
    if (data.before || kept.length === data.found.length) hasOlder.value = data.isFull
    shown.value = kept
  }, [data])
  useLayoutEffect(() => {
    const button = focused.current && node.current?.querySelector(`[data-movement="${focused.current}"] button`)
    if (!(button instanceof HTMLElement)) return
    button.focus({ preventScroll: true })
    focused.current = 0
  }, [shown.value])
  const undo = async (/** @type {Movement} */ { id, updated_at }) => {
    try {
      const body = { updated_at, updated_by: authorName() }
      const made = await ask('POST', `/api/inventory/changes/${id}/undo`, { body })
      focused.current = made.id
      announce(text('change.taken-back', { level: made.new_level }))
      undone(made)
    } catch (problem) {
      announce(errorText(problem), 'bad')
    }
    wanted.value = { before: 0 }
  }
  const toggle = (/** @type {unknown} */ id) => {
    const others = opened.value.filter((each) => each !== id)
    opened.value = others.length < opened.value.length ? others : [...others, id]
  }
  const row = (/** @type {Movement} */ each, isMember = false) => html`
    <${MovementOf} key=${each.id} movement=${each} data-movement=${each.id} data-member=${isMember || undefined} undo=${() => void undo(each)} />`
  return html`
    <div class="stack" ref=${node} aria-busy=${isUnderWay ? 'true' : undefined}>
      <ol class="movement-list">
        ${folded(shown.value).map(([newest, ...others]) => {
          if (others.length === 0) return row(newest)
          const [id, group] = [newest.import_id, [newest, ...others]]
          const isOpen = opened.value.includes(id)
          const head = html`<${ImportRow} key=${`import ${id}`} movements=${group} isOpen=${isOpen} toggle=${() => toggle(id)} />`
          return [head, isOpen && group.map((each) => row(each, true))]
        })}
      </ol>
      ${error ? html`<${Failure} error=${error} again=${again} />` : hasOlder.value === undefined && html`<${Loading} />`}
      ${!error && hasOlder.value === false && shown.value.length === 0 && html`<p class="soft">${none}</p>`}
      ${
        !error &&
        hasOlder.value &&
        html`
        <${Button} disabled=${isUnderWay} onclick=${() => (wanted.value = { before: shown.value.at(-1)?.id ?? 0 })}>${text('changes.older')}<//>`
      }
    </div>`
}

/**
 * Load a page, and further ones while the import goes on with which it ends. The newest are as many as are shown, to renew them.
 *
 * @param {(place: object) => Promise<Movement[]>} load @param {number} before @param {number} count of those shown @returns {Promise<Page>}
 */
async function pageOf(load, before, count) {
  let limit = before ? PAGE : Math.min(Math.max(count, PAGE), LARGE_PAGE)
  let page = await load({ ...(before && { before }), limit })
  const found = [...page]
  while (page.length === limit && page.at(-1)?.import_id && found.length < MOST) {
    limit = LARGE_PAGE
    page = await load({ before: found.at(-1)?.id, limit })
    found.push(...page)
  }
  return { found, isFull: page.length === limit, before }
}

/** Return movements with a page of them: older ones behind it, or the newest instead of those that it has again. @param {readonly Movement[]} known @param {Page} page */
export function withPage(known, { found, isFull, before }) {
  if (before) return [...known, ...found]
  const last = found.at(-1)?.id ?? 0
  return isFull ? [...found, ...known.filter(({ id }) => id < last)] : found
}

/** Return movements with those of each import together, where its newest one is. @param {readonly Movement[]} movements */
export function folded(movements) {
  /** @type {Map<string, [Movement, ...Movement[]]>} */
  const groups = new Map()
  for (const movement of movements) {
    const key = movement.import_id ? `import ${movement.import_id}` : `${movement.id}`
    const group = groups.get(key)
    if (group) group.push(movement)
    else groups.set(key, [movement])
  }
  return [...groups.values()]
}

/**
 * A row. `amount` is shown instead of the difference where that is not known yet; `facts` are below the name, and those that
 * are empty are left out; `children` are its actions.
 *
 * @param {{value: number, amount?: string, name: Children, code?: string, href?: string, facts: Children[], children?: Children} & Record<string, unknown>} props
 */
export function MovementRow({ value, amount, name, code, href, facts, children, ...more }) {
  const words = html`<bdi>${name}</bdi>${code && html` <bdi class="code soft">${code}</bdi>`}`
  const second = facts
    .filter(Boolean)
    .map((fact, index) => html`<${Fragment} key=${index}>${index > 0 && ' · '}${fact}<//>`)
  return html`
    <li class="list-row" ...${more}>
      <${Difference} value=${value}>${amount ?? signed(value)}<//>
      <div>
        <div class="clamped">${href ? html`<a href=${href}>${words}</a>` : words}</div>
        <div class="second">${second}</div>
      </div>
      <div class="row">${children}</div>
    </li>`
}

/**
 * A movement of the service: with its product, if the list has several, else with what the level became. `undo` is called
 * to take it back; without it, there is no button.
 *
 * @param {{movement: Movement, undo?: (() => void) | undefined} & Record<string, unknown>} props
 */
export function MovementOf({ movement, undo, ...more }) {
  const { product_id, product_code, description, old_level, new_level, undoes, undone_by } = movement
  const isNote = codesOf(movement) !== null
  const [value, became] = [new_level - old_level, `${number(old_level)} → ${number(new_level)}`]
  const isOfSeveral = product_code !== undefined
  const product = { name: description, code: product_code, href: `#products/${product_id}` }
  const facts = [isOfSeveral && became, ...originOf(movement), undoes !== null && text('change.undoes')]
  const undone = undone_by !== null && html`<${Mark}>${text('booking.undone')}<//>`
  const label = text('change.undo.of', { amount: signed(value), product: product_code ?? '' }).trim()
  return html`
    <${MovementRow}
      value=${value} ...${isOfSeveral ? product : { name: became }} facts=${[undone, ...facts]} ...${more}
    >
      ${undo && !undone && !isNote && html`<${IconButton} icon="undo" label=${label} onclick=${undo} />`}
    <//>`
}

/** The movements of one import: a row that opens. @param {{movements: [Movement, ...Movement[]], isOpen: boolean, toggle: () => void}} props */
function ImportRow({ movements, isOpen, toggle }) {
  const value = movements.reduce((sum, { old_level, new_level }) => sum + new_level - old_level, 0)
  const name = html`
    <button type="button" class="plain" aria-expanded=${String(isOpen)} onclick=${toggle}>
      ${text('changes.group', { count: movements.length })}
    </button>`
  return html`<${MovementRow} value=${value} name=${name} facts=${originOf(movements[0])} />`
}

/** The last of some movements, without what can be done about them; nothing if there are none. @param {{load: (signal: AbortSignal) => Promise<Movement[]>, inputs: unknown[], children?: Children} & Record<string, unknown>} props */
export function LastMovements({ load, inputs, children, ...more }) {
  const { data = [] } = useRequest(load, inputs)
  if (data.length === 0) return null
  return html`
    <section ...${more}>
      ${children}
      <ol class="changes" aria-label=${text('stock.moved')}>${data.map((each) => html`<${MovementOf} key=${each.id} movement=${each} />`)}</ol>
    </section>`
}

/** Return the codes that a movement is about, if it moved nothing and only notes another code of its product. @param {Movement} movement */
export function codesOf({ old_level, new_level, updated_by, change_reason }) {
  const [, before = '', after = ''] = /^product code changed from (.+) to (.+)$/.exec(change_reason) ?? []
  return old_level === new_level && updated_by === 'system' && after ? { before, after } : null
}

/** Who made a movement, when, and why. @param {Movement} movement */
function originOf(movement) {
  const { scanned_at, updated_at, updated_by, change_reason } = movement
  const codes = codesOf(movement)
  if (codes) return [moment(updated_at), html`<bdi>${text('change.code', codes)}</bdi>`]
  return [
    html`<bdi>${updated_by}</bdi>`,
    moment(scanned_at ?? updated_at),
    change_reason && html`<bdi>${change_reason === LIMITS.first_reason ? text('change.first') : change_reason}</bdi>`,
  ]
}
