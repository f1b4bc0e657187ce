/**
 * What became of scans, as signals: the product that was scanned last, and what is said of it.
 *
 * Rule: a booking goes into the queue first and is shown at once. Only the last scan is shown: late responses to earlier ones
 * are not.
 */

import { Refusal, Unreachable } from '../api.js'
import { opened } from '../bookings/sending.js'
import { book, isPaused } from '../bookings/store.js'
import { moment, number } from '../formats.js'
import { text } from '../language.js'
import { latestOnly } from '../in_turn.js'
import { whyNotStored, whyUnreachable } from '../reasons.js'
import { recall, resolveOrRecall, resolveScan } from '../resolve_scan.js'
import { bad, good, unchecked } from '../sounds.js'
import { batch, signal } from '../ui.js'
import { whileVisible } from '../while_visible.js'
import { nothing, withProduct, withRefusal, withResult } from './panel.js'

/** @typedef {import('./panel.js').State} State */
/** @typedef {import('../bookings/booking.js').Booking} Booking */
/** @typedef {import('../resolve_scan.js').FoundProduct} FoundProduct */

/** Milliseconds after which a booking without a response is shown as waiting. */
const HELD = 400

export class ScanResults {
  #session
  #ended
  #begun = latestOnly()
  /** The code that the service could not be asked for, or empty. */
  #unasked = ''
  /** The booking that is shown, or 0; and the last one that was shown and has been answered. */
  #booked = 0
  #answered = 0
  /** What was scanned last. */
  shown = signal(nothing())
  /** What screen readers read out. */
  spoken = signal('')
  /** The product that waits for its amount, as far as it is known. */
  waitingName = signal('')

  /**
   * @param {import('./session.js').ScanSession} session which learns the product that is shown
   * @param {AbortSignal} ended
   */
  constructor(session, ended) {
    this.#session = session
    this.#ended = ended
    whileVisible(() => this.#askAgain(), ended)
    void opened.then(({ queue }) => {
      const told = (/** @type {Event} */ event) => /** @type {CustomEvent<Booking[]>} */ (event).detail
      queue.addEventListener('change', (event) => this.#settled(told(event)), { signal: ended })
      queue.addEventListener('elsewhere', (event) => this.#follow(told(event)), { signal: ended })
    })
  }

  /**
   * Say what a scan led to, and return whether that is still the last. The product stays if the code is its own.
   *
   * @param {State} state
   * @param {string} code
   * @param {string} message
   * @returns {() => boolean}
   */
  say(state, code, message) {
    this.#report(withResult(this.shown.value, state, code, message))
    return this.#begun()
  }

  /** Be ready for the next scan. */
  clear() {
    this.#unasked = ''
    this.#begun()
    this.#report(nothing())
  }

  /** Show a product again that was shown before, unless a scan comes meanwhile. @param {string} code */
  async showAgain(code) {
    const isLast = this.#begun()
    const show = (/** @type {FoundProduct | null} */ found) => {
      if (found && isLast()) this.#report(withProduct('ready', found, code, text('scan.ready')))
    }
    show(await resolveOrRecall(code, this.#ended, undefined, show).catch(() => null))
  }

  /**
   * Show the product of a code. If it waits for its amount, the amount is asked for even if the service cannot be reached.
   *
   * @param {string} code
   * @param {string} [type] its symbology, if the camera has read it
   */
  async lookUp(code, type) {
    const isLast = this.#begin(code)
    try {
      const found = await resolveOrRecall(code, this.#ended, type, (known) => {
        if (isLast() && known) this.#show(code, known)
        else if (isLast()) this.#age()
      })
      good()
      if (isLast()) this.#show(code, found)
    } catch (error) {
      if (this.#ended.aborted) return
      const isUnreachable = error instanceof Unreachable
      if (isUnreachable) unchecked()
      else bad()
      if (!isLast()) return
      this.#unasked = isUnreachable ? code : ''
      if (!isUnreachable || this.#session.waiting !== code) return this.#failed(code, error)
      this.#report(withResult(this.shown.value, 'waiting', code, `${text('scan.unchecked')} ${text(this.#question)}`))
    }
  }

  /** @param {import('./session.js').Change} change */
  async book(change) {
    const { code } = change
    const isLast = this.#begin(code)
    try {
      const made = await book(change)
      this.#session.pending.add(made.id)
      if (isLast()) this.#booked = made.id
      setTimeout(() => void this.#held(made), isPaused.value ? 0 : HELD)
    } catch (error) {
      bad()
      if (isLast()) this.#report(withResult(this.shown.value, 'bad', code, whyNotStored(error)))
    }
  }

  /** @param {string} code @returns {() => boolean} whether no later scan was made */
  #begin(code) {
    this.#booked = 0
    this.#unasked = ''
    return this.say('looking', code, text('scan.looking'))
  }

  /** @param {string} code @param {FoundProduct} found */
  #show(code, found) {
    this.#unasked = found.remembered ? code : ''
    const waits = this.#session.waiting === code
    if (waits) this.waitingName.value = found.description
    const state = waits || found.remembered ? 'waiting' : 'good'
    const remembered = found.remembered && text('scan.remembered', { time: moment(found.remembered) })
    this.#report(withProduct(state, found, code, waits ? text(this.#question) : remembered || text('scan.found')))
  }

  /** Show the product as the service knows it, once that can be reached again. */
  async #askAgain() {
    const code = this.#unasked
    if (!code) return
    try {
      const found = await resolveScan(code, this.#ended)
      if (code !== this.#unasked) return
      this.#begun()
      this.#show(code, found)
    } catch (error) {
      if (!(error instanceof Refusal) || code !== this.#unasked) return
      this.#begun()
      this.#unasked = ''
      this.#failed(code, error)
    }
  }

  /** The key of the question about a waiting product. */
  get #question() {
    return this.#session.direction === 'set' ? 'scan.count' : 'scan.check'
  }

  /** @param {Booking} made one that is stored, without a response yet */
  async #held({ id, code }) {
    if (!this.#session.pending.delete(id)) return
    const known = await recall(code)
    if (this.#answered === id) return
    if (known) good()
    else unchecked()
    if (this.#booked !== id) return
    if (known) this.#report(withProduct('waiting', known, code, text('scan.kept'), id))
    else this.#report(withResult(this.shown.value, 'waiting', code, text('scan.kept.unchecked')))
  }

  /**
   * Show why a product is not found. One that is created for its code, perhaps with another code, is shown; a waiting
   * amount belongs to it.
   *
   * @param {string} code
   * @param {unknown} error
   */
  #failed(code, error) {
    const created = (/** @type {{product_code: string}} */ { product_code }) => {
      if (this.#session.waiting === code) this.#session.wait(product_code)
      void this.lookUp(product_code)
    }
    if (error instanceof Refusal) return this.#report(withRefusal(code, error, { created }))
    const isUnreachable = error instanceof Unreachable
    const why = isUnreachable ? whyUnreachable(error, text('scan.unchecked')) : text('failed')
    this.#report(withResult(this.shown.value, isUnreachable ? 'waiting' : 'bad', code, why))
  }

  /** @param {Booking[]} changed which together make one sound */
  #settled(changed) {
    const outcome = this.#session.outcome(changed)
    if (outcome === 'bad') bad()
    else if (outcome === 'good') good()
    this.#follow(changed)
    const others = changed.filter(({ id, state }) => state === 'refused' && id !== this.#booked)
    if (others.length) this.spoken.value = text('bookings.refused', { count: others.length })
  }

  /** @param {Booking[]} changed here, or in another tab, which makes its own sound */
  #follow(changed) {
    const mine = changed.find(({ id }) => id === this.#booked)
    if (mine && mine.state !== 'waiting') this.#answered = mine.id
    const { waiting } = this.#session
    if (mine) this.#showSettled(mine)
    else if (changed.some(({ code, state }) => code === waiting && state === 'booked')) void this.#showLevel()
  }

  /** Show the waiting product again, with the level that has just been set. */
  async #showLevel() {
    const { waiting: code, waitingType } = this.#session
    const found = await resolveScan(code, this.#ended, waitingType).catch(() => null)
    if (found && code === this.#session.waiting) this.#show(code, found)
  }

  /** @param {Booking} made */
  #showSettled(made) {
    const { id, code, state, delta, result, problem, undoKey } = made
    if (state === 'refused' && problem) return this.#report(withRefusal(code, problem, { delta }))
    if (state === 'undone') return void this.#showUndone(made)
    if (state !== 'booked' || !result || undoKey) return
    const product = { id: result.productId, product_code: result.productCode, description: result.description }
    this.#report(withProduct('good', { ...product, level: result.newLevel }, code, outcomeOf(made), id))
  }

  /** @param {Booking} made which was taken back */
  async #showUndone({ id, code, result }) {
    const [known, says] = [result?.productCode ?? code, text('scan.booked.undone')]
    this.#report({ ...withResult(this.shown.value, 'ready', known, says), undo: 0 })
    this.#age()
    const found = result && (await resolveScan(known, this.#ended).catch(() => null))
    if (found && this.#booked === id) this.#report(withProduct('ready', found, code, says))
  }

  /** Say of when the level is: the service has not confirmed it since. */
  #age() {
    this.shown.value = { ...this.shown.value, isAged: true }
  }

  /** @param {import('./panel.js').Shown} shown */
  #report(shown) {
    const { state, message, product } = shown
    this.#session.product = product?.product_code ?? ''
    batch(() => {
      this.shown.value = shown
      this.spoken.value = state === 'looking' ? '' : [message, product?.description].filter(Boolean).join(' ')
    })
  }
}

/** Return what a booking has done, with its reason. @param {Booking} made */
function outcomeOf({ delta, reason, result }) {
  const amount = number(Math.abs(delta ?? 0))
  const became = `${text('scan.booked.set')}: ${number(result?.oldLevel ?? 0)} → ${number(result?.newLevel ?? 0)}`
  const says = delta === null ? became : text(delta > 0 ? 'scan.booked.in' : 'scan.booked.out', { amount })
  return [says, reason].filter(Boolean).join(' · ')
}
