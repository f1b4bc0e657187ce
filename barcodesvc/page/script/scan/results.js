/**
 * What is shown, heard and read out after a scan: the product that was scanned last, and what is said of it.
 *
 * Rule: a change goes into the queue first and is shown at once. Only the last scan is shown: late responses to earlier ones
 * are not.
 */

import { Refusal, Unreachable } from '../api.js'
import { opened } from '../bookings/sending.js'
import { book as store, isPaused, whyNotStored } from '../bookings/store.js'
import { inPacks, moment, number } from '../formats.js'
import { text } from '../language.js'
import { latestOnly } from '../in_turn.js'
import { recall, resolveOrRecall, resolveScan } from '../resolve_scan.js'
import { bad, good, unchecked } from '../sounds.js'
import { batch, refusalText, signal } from '../ui.js'
import { whileVisible } from '../while_visible.js'
import { directionOf } from './session.js'

/** @typedef {import('../types.js').Booking} Booking */
/** @typedef {import('../resolve_scan.js').FoundProduct} FoundProduct */
/** @typedef {'ready' | 'looking' | 'good' | 'waiting' | 'bad'} State of a scan; the last three have a sign each */
/** @typedef {{state: State, message: string, code: string, scanned: string, product: FoundProduct | null, at: Date, isAged: boolean, undo: number, candidates: string[], offered: Record<string, any> | null, created?: ((product: any) => void) | undefined}} Shown `undo` is the change that can be undone, or 0; `at` is of when the level is */

/** Milliseconds after which a change without a response is shown as waiting. */
const HELD = 400

/** Nothing that was scanned. @returns {Shown} */
function nothing() {
  const none = { code: '', scanned: '', product: null, at: new Date(), isAged: false }
  return { ...none, state: 'ready', message: text('scan.ready'), undo: 0, candidates: [], offered: null }
}

/** Say what a scan led to. The product stays only if the code is its own, so that its buttons stay under the finger. @param {Shown} before @param {State} state @param {string} code @param {string} message @returns {Shown} */
function withResult(before, state, code, message) {
  const { product, scanned, isAged, undo } = before
  const isSame = product && [product.product_code, scanned].includes(code)
  const kept = isSame ? { ...before, isAged: isAged || state === 'waiting' } : { ...nothing(), code }
  // undo would take back an earlier change than the one under way
  return { ...kept, state, message, undo: isSame && state !== 'looking' ? undo : 0, candidates: [], offered: null }
}

/** Show a product that was scanned; `undo` is the change that led to this. @param {State} state @param {FoundProduct} product @param {string} scanned @param {string} message @param {number} [undo] @returns {Shown} */
function withProduct(state, product, scanned, message, undo = 0) {
  const at = product.remembered ?? new Date()
  return { ...nothing(), state, message, scanned, product, at, isAged: Boolean(product.remembered), undo }
}

/** Say why the service refused. A product that it names is shown, with its level. @param {string} code @param {import('../types.js').Problem} problem @param {number | null} [delta] @returns {Shown} */
function withRefusal(code, problem, delta = null) {
  const {
    product_id: id,
    product_code,
    description,
    current_level: level,
    pack_quantity: pack = 1,
    ...more
  } = problem.details ?? {}
  const message = refusalText(problem, delta)
  if (id) return withProduct('bad', { id, product_code, description, level, pack }, code, message)
  const { candidates = [], new_product: offered = null } = more
  return { ...nothing(), state: 'bad', message, code, candidates, offered }
}

/** @typedef {ReturnType<typeof newResults>} Results */

/** @param {import('./session.js').Session} session which learns the product that is shown @param {AbortSignal} ended */
export function newResults(session, ended) {
  const results = {
    session,
    ended,
    shown: signal(nothing()),
    /** What screen readers read out. */
    spoken: signal(''),
    begun: latestOnly(),
    /** Changes of this view that have not been heard yet. */
    pending: /** @type {Set<number>} */ (new Set()),
    /** The change that is shown, or 0. */
    booked: 0,
    /** The code that the service could not be asked for, or empty. */
    unasked: '',
  }
  whileVisible(() => askAgain(results), ended)
  void opened.then(({ queue }) => {
    const told = (/** @type {Event} */ event) => /** @type {CustomEvent<Booking[]>} */ (event).detail
    queue.addEventListener('change', (event) => settle(results, told(event)), { signal: ended })
    queue.addEventListener('elsewhere', (event) => follow(results, told(event)), { signal: ended })
  })
  return results
}

/** @param {Results} results @param {Shown} next */
function report({ session, shown, spoken }, next) {
  const { state, message, product } = next
  batch(() => {
    session.product.value = product?.product_code ?? ''
    shown.value = next
    const pack = product && product.pack > 1 && text('code.pack', { count: product.pack })
    spoken.value = state === 'looking' ? '' : [message, product?.description, pack].filter(Boolean).join(' ')
  })
}

/** Say what a scan led to, and return whether that is still the last. @param {Results} results @param {State} state @param {string} code @param {string} message */
export function say(results, state, code, message) {
  report(results, withResult(results.shown.value, state, code, message))
  return results.begun()
}

/** Be ready for the next scan. @param {Results} results */
export function clear(results) {
  results.unasked = ''
  results.begun()
  report(results, nothing())
}

/** @param {Results} results @param {string} code @returns {() => boolean} whether no later scan was made */
function begin(results, code) {
  results.booked = 0
  results.unasked = ''
  return say(results, 'looking', code, text('scan.looking'))
}

/** Show the product of a code. @param {Results} results @param {string} code @param {string} [type] its symbology, if the camera has read it */
export async function lookUp(results, code, type) {
  const { ended, shown } = results
  const isLast = begin(results, code)
  try {
    const found = await resolveOrRecall(code, ended, type, (known) => {
      if (isLast() && known) show(results, code, known)
      else if (isLast()) shown.value = { ...shown.value, isAged: true }
    })
    good()
    if (isLast()) show(results, code, found)
  } catch (error) {
    if (ended.aborted) return
    if (error instanceof Unreachable) unchecked()
    else bad()
    if (isLast()) fail(results, code, error)
  }
}

/** Show a product again that was shown before, unless a scan comes meanwhile. @param {Results} results @param {string} code */
export async function showAgain(results, code) {
  const isLast = results.begun()
  const again = (/** @type {FoundProduct | null} */ found) => {
    if (found && isLast()) report(results, withProduct('ready', found, code, text('scan.ready')))
  }
  again(await resolveOrRecall(code, results.ended, undefined, again).catch(() => null))
}

/** Show the product as the service knows it, once that can be reached again. @param {Results} results */
async function askAgain(results) {
  const code = results.unasked
  if (!code) return
  const found = await resolveScan(code, results.ended).catch((error) => error)
  if (code !== results.unasked || found instanceof Unreachable) return
  results.begun()
  results.unasked = ''
  if (found instanceof Error) fail(results, code, found)
  else show(results, code, found)
}

/** @param {Results} results @param {string} code @param {FoundProduct} found */
function show(results, code, found) {
  const { remembered } = found
  const waits = results.session.waiting.value?.code === code
  const warning = found.retired ? ` · ${text('product.retired')}` : ''
  const says = remembered ? text('scan.remembered', { time: moment(remembered) }) : `${text('scan.found')}${warning}`
  results.unasked = remembered ? code : ''
  report(results, withProduct(waits || remembered ? 'waiting' : 'good', found, code, waits ? question(results) : says))
}

/** What is asked about the product that waits. @param {Results} results */
function question({ session }) {
  return text(directionOf(session) === 'set' ? 'scan.count' : 'scan.check')
}

/**
 * Show why a product is not found. One that is created for its code, perhaps with another code, is shown; a waiting amount
 * belongs to it, and is asked for even if the service cannot be reached. @param {Results} results @param {string} code @param {unknown} error
 */
function fail(results, code, error) {
  const { waiting } = results.session
  const waits = waiting.value?.code === code ? waiting.value : null
  if (error instanceof Refusal) {
    const created = (/** @type {{product_code: string}} */ { product_code }) => {
      if (waits && waiting.value === waits) waiting.value = { ...waits, code: product_code }
      void lookUp(results, product_code)
    }
    return report(results, { ...withRefusal(code, error), created })
  }
  const isUnreachable = error instanceof Unreachable
  const why = text(isUnreachable ? 'scan.unchecked' : 'failed')
  const says = isUnreachable && waits ? `${why} ${question(results)}` : why
  if (isUnreachable) results.unasked = code
  report(results, withResult(results.shown.value, isUnreachable ? 'waiting' : 'bad', code, says))
}

/** @param {Results} results @param {import('../types.js').Change} change */
export async function book(results, change) {
  const { code } = change
  const isLast = begin(results, code)
  try {
    const { id } = await store(change)
    results.pending.add(id)
    if (isLast()) results.booked = id
    setTimeout(() => void hold(results, id, code), isPaused.value ? 0 : HELD)
  } catch (error) {
    bad()
    if (isLast()) report(results, withResult(results.shown.value, 'bad', code, whyNotStored(error)))
  }
}

/** Show a change that is stored as waiting, if it has no response yet. @param {Results} results @param {number} id @param {string} code */
async function hold(results, id, code) {
  if (!results.pending.has(id)) return
  const known = await recall(code)
  if (!results.pending.delete(id)) return
  if (known) good()
  else unchecked()
  if (results.booked !== id) return
  if (known) report(results, withProduct('waiting', known, code, text('scan.kept'), id))
  else report(results, withResult(results.shown.value, 'waiting', code, text('scan.kept.unchecked')))
}

/** Hear and show changes that the service has answered. @param {Results} results @param {Booking[]} changed which together make one sound */
function settle(results, changed) {
  const { booked, pending, spoken } = results
  const answered = changed.filter(({ id, state }) => state !== 'waiting' && pending.delete(id))
  const refused = changed.filter(({ state }) => state === 'refused')
  if (refused.length) bad()
  else if (answered.some(({ state }) => state === 'booked')) good()
  follow(results, changed)
  const count = refused.filter(({ id }) => id !== booked).length
  if (count) spoken.value = text('bookings.refused', { count })
}

/** @param {Results} results @param {Booking[]} changed here, or in another tab, which makes its own sound */
function follow(results, changed) {
  const { booked, ended, session } = results
  const [mine, waits] = [changed.find(({ id }) => id === booked), session.waiting.value]
  if (mine) return showSettled(results, mine)
  if (!waits || !changed.some(({ code, state }) => code === waits.code && state === 'booked')) return
  // the waiting product has another level now
  void resolveScan(waits.code, ended, waits.type).then(
    (found) => session.waiting.value === waits && show(results, waits.code, found),
    () => undefined,
  )
}

/** @param {Results} results @param {Booking} made */
function showSettled(results, made) {
  const { id, code, state, delta, result, problem, undoKey } = made
  if (state === 'refused' && problem) return report(results, withRefusal(code, problem, delta))
  if (state === 'undone') return void showUndone(results, made)
  if (state !== 'booked' || !result || undoKey) return
  const { productId, productCode: product_code, description, newLevel: level, pack = 1, retired, embedded } = result
  const product = {
    id: productId,
    product_code,
    description,
    level,
    pack,
    ...(embedded && { embedded }),
    ...(retired && { retired }),
  }
  report(results, withProduct('good', product, code, outcomeOf(made), id))
}

/** @param {Results} results @param {Booking} made which was taken back */
async function showUndone(results, { id, code, result }) {
  const [known, says] = [result?.productCode ?? code, text('scan.booked.undone')]
  report(results, { ...withResult(results.shown.value, 'ready', known, says), undo: 0, isAged: true })
  const found = result && (await resolveScan(known, results.ended).catch(() => null))
  if (found && results.booked === id) report(results, withProduct('ready', found, code, says))
}

/** Return what a change has done, with its reason, and a warning if the product is no longer sold. @param {Booking} made */
function outcomeOf({ delta, reason, result }) {
  const { oldLevel, newLevel, pack = 1, retired } = result ?? { oldLevel: 0, newLevel: 0 }
  const pieces = newLevel - oldLevel
  const amount = `${number(Math.abs(pieces))}${inPacks(pieces, pack)}`
  const became = `${text('scan.booked.set')}: ${number(oldLevel)} → ${number(newLevel)}`
  const says = delta === null ? became : text(delta > 0 ? 'scan.booked.in' : 'scan.booked.out', { amount })
  return [says, reason, retired && text('product.retired')].filter(Boolean).join(' · ')
}
