/**
 * Movements, newest first: when, of what, by whom and why; each can be undone once. Those of one import are a row that opens.
 * The signal `movements` holds them, so that others can show what follows from them.
 */

import { ask, Refusal } from './api.js'
import { newKey } from './bookings/booking.js'
import { authorName } from './bookings/store.js'
import { text } from './language.js'
import { ImportRow, MovementOf } from './movement_row.js'
import { announce, announceError } from './notices.js'
import { Button, errorText, Failure, html, Loading, useLayoutEffect, useRef, useRequest, useSignal } from './ui.js'

/** @typedef {import('./types.js').Movement} Movement */
/** @typedef {import('./types.js').Signal<readonly Movement[]>} Movements */
/** @typedef {(place: {before?: number, after?: number, limit: number}, signal?: AbortSignal) => Promise<Movement[]>} Load */

/** Movements of one page; and of each further one, while an import goes on; and of all pages that this takes. */
const PAGE = 50
const LARGE_PAGE = 1000
const MOST = 5000

/**
 * `inputs` are what `load` depends on: another one loads the list again. `undone` is called with the movement that an undo
 * made.
 *
 * @param {{movements: Movements, load: Load, inputs: unknown[], none: string, undone: (made: Movement) => void}} props
 */
export function MovementList({ movements, load, inputs, none, undone }) {
  const node = useRef(/** @type {HTMLElement | null} */ (null))
  const [opened, focused] = [useSignal(/** @type {readonly number[]} */ ([])), useSignal(0)]
  const pages = usePages(movements, load, inputs)
  useLayoutEffect(() => {
    const button = focused.value && node.current?.querySelector(`[data-movement="${focused.value}"] button`)
    if (button instanceof HTMLElement) button.focus({ preventScroll: true })
  }, [focused.value])
  const undo = useUndo(movements, (made) => {
    focused.value = made.id
    undone(made)
  })
  const toggle = (/** @type {number} */ id) => {
    const others = opened.value.filter((each) => each !== id)
    opened.value = others.length < opened.value.length ? others : [...others, id]
  }
  const row = (/** @type {Movement} */ movement, isMember = false) => html`
    <${MovementOf} key=${movement.id} movement=${movement} data-movement=${movement.id} data-member=${isMember || undefined}
      undo=${() => void undo(movement, node.current)} />`
  return html`
    <div class="stack" ref=${node} aria-busy=${pages.isUnderWay ? 'true' : undefined}>
      <ol class="movement-list">
        ${folded(movements.value).map((group) => {
          const [newest] = /** @type {[Movement]} */ (group)
          if (group.length === 1) return row(newest)
          const { id } = newest
          const isOpen = opened.value.includes(id)
          const head = html`<${ImportRow} key=${`import ${id}`} movements=${group} isOpen=${isOpen} toggle=${() => toggle(id)} />`
          return [head, isOpen && group.map((each) => row(each, true))]
        })}
      </ol>
      <${Below} ...${pages} none=${movements.value.length === 0 && none} />
    </div>`
}

/**
 * What is below the movements: why there are none, or the button for older ones.
 *
 * @param {ReturnType<typeof usePages> & {none: string | false}} props
 */
function Below({ error, again, hasOlder, isUnderWay, loadOlder, none }) {
  if (error) return html`<${Failure} error=${error} again=${again} />`
  if (hasOlder === undefined) return html`<${Loading} />`
  if (none) return html`<p class="soft">${none}</p>`
  return hasOlder && html`<${Button} disabled=${isUnderWay} onclick=${loadOlder}>${text('changes.older')}<//>`
}

/**
 * Load the newest movements, and on demand older ones. `hasOlder` is undefined until the first are there.
 *
 * @param {Movements} movements
 * @param {Load} load
 * @param {unknown[]} inputs
 */
function usePages(movements, load, inputs) {
  const [hasOlder, isUnderWay] = [useSignal(/** @type {boolean | undefined} */ (undefined)), useSignal(false)]
  const problem = useSignal(/** @type {unknown} */ (null))
  const first = useRequest((signal) => pagesOf((place) => load(place, signal)), inputs)
  const show = (/** @type {readonly Movement[]} */ all, /** @type {boolean} */ isFull) => {
    movements.value = all
    hasOlder.value = isFull
  }
  useLayoutEffect(() => first.data && show(first.data.found, first.data.isFull), [first.data])
  const loadOlder = async () => {
    const earlier = movements.peek()
    isUnderWay.value = true
    problem.value = null
    try {
      const { found, isFull } = await pagesOf(load, earlier.at(-1)?.id)
      if (movements.peek() === earlier) show([...earlier, ...found], isFull)
    } catch (error) {
      problem.value = error
    }
    isUnderWay.value = false
  }
  return {
    isUnderWay: first.isUnderWay || isUnderWay.value,
    error: first.error ?? problem.value,
    again: first.error ? first.again : loadOlder,
    hasOlder: hasOlder.value,
    loadOlder,
  }
}

/**
 * Add what has moved since the newest of some movements, up to now.
 *
 * @param {Movements} movements
 * @param {Load} load
 */
export async function addNewer(movements, load) {
  const before = movements.peek()
  const [newest] = before
  if (!newest) return void (movements.value = await load({ limit: LARGE_PAGE }))
  /** @type {Movement[]} */
  const found = []
  for (let isFull = true; isFull;) {
    const page = await load({ after: found.at(-1)?.id ?? newest.id, limit: LARGE_PAGE })
    found.push(...page)
    isFull = page.length === LARGE_PAGE
  }
  if (movements.peek() !== before || !found.length) return undefined
  const undone = new Map(found.map(({ undoes, id }) => [undoes, id]))
  const marked = before.map((each) => ({ ...each, undone_by: undone.get(each.id) ?? each.undone_by }))
  return void (movements.value = [...found.reverse(), ...marked])
}

/**
 * Return movements with those of each import together, where its newest one is.
 *
 * @param {readonly Movement[]} movements
 * @returns {Movement[][]}
 */
export function folded(movements) {
  /** @type {Map<string, Movement[]>} */
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
 * Load a page, and further ones while the import goes on with which it ends.
 *
 * @param {Load} load
 * @param {number} [before] the id of the movement behind which to begin
 */
async function pagesOf(load, before) {
  /** @type {Movement[]} */
  const found = []
  let isFull = true
  for (
    let limit = PAGE;
    isFull && (limit === PAGE || (found.at(-1)?.import_id && found.length < MOST));
    limit = LARGE_PAGE
  ) {
    const last = found.at(-1)?.id ?? before
    const page = await load({ ...(last === undefined ? {} : { before: last }), limit })
    found.push(...page)
    isFull = page.length === limit
  }
  return { found, isFull }
}

/**
 * Return a function that undoes a movement. Without a response it may have been undone, so the next try has the same key.
 *
 * @param {Movements} movements
 * @param {(made: Movement) => void} undone
 */
function useUndo(movements, undone) {
  const keys = useRef(/** @type {Map<number, string>} */ (new Map()))
  const replace = (/** @type {Movement} */ { id }, /** @type {Partial<Movement>} */ change) =>
    movements.peek().map((each) => (each.id === id ? { ...each, ...change } : each))
  return async (/** @type {Movement} */ movement, /** @type {Node | null} */ place) => {
    const { id, updated_at, product_code, description } = movement
    const key = keys.current.get(id) ?? newKey()
    keys.current.set(id, key)
    try {
      const body = { idempotency_key: key, updated_at, updated_by: authorName() }
      const made = await ask('POST', `/api/inventory/changes/${id}/undo`, { body })
      const known = { ...made, product_code, description } // as in the list, which may be that of one product
      movements.value = [known, ...replace(movement, { undone_by: made.id }).filter((each) => each.id !== made.id)]
      undone(known)
      announce(text('change.taken-back', { level: made.new_level }))
    } catch (error) {
      const { reason, undone_by = null, current_level } = error instanceof Refusal ? error.details : {}
      if (error instanceof Refusal) keys.current.delete(id)
      movements.value = replace(movement, { undone_by })
      const isShort = reason === 'level_out_of_range'
      announceError(
        isShort ? text('change.undo.level', { level: current_level }) : errorText(error),
        place ?? document.body,
      )
    }
  }
}
