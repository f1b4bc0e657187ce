/**
 * Decides what the keys are that reach the page: a scan, what a person types, or a code that is not heard as a scan.
 *
 * Rule: the wedge tells a scan by the pace of its keys. Where amounts are typed, in a field for numbers or none, the rest is a
 * person's only if it is no part of a code (`TypedKeys`); what the page has got of a code, it takes back.
 */

import { keptValue, settings } from '../settings.js'
import { TypedFields } from './fields.js'
import { QUICK, SLOW, TypedKeys, USUAL, Wedge } from './wedge.js'

/** @typedef {import('../types.js').Trouble} Trouble */

/** What separates thousands in a number that a person types into a field. */
const SEPARATORS = /[\s,.'’]/g

/** Scans without an Enter, one after the other, after which none is expected. */
const OTHER_SCANNER = 3

/** A timer that is this many milliseconds late means that keys may be queued behind it. */
const LATE = 30

export class Hearing {
  wedge = new Wedge()
  fields = new TypedFields()
  typed = new TypedKeys()
  ends = new ScanEnds()
  /** Which of the keys that belong together the page has used. */
  used = ''
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer = undefined

  /** @param {import('../types.js').Told} told */
  constructor(told) {
    this.told = told
  }

  /** Whether keys that may be a scan are withheld from the page: a field that takes scans gets them all. */
  get isWithholding() {
    return this.wedge.scanning && !this.fields.isInserted && !this.fields.taking
  }

  /** Decide what the keys before this time were. @param {number} time */
  begin(time) {
    this.wedge.pace = settings.slowScanner.value ? SLOW : USUAL
    this.flushIfOver(time)
  }

  /** Save the content of the focused field before one of the first keys. */
  remember() {
    if (this.wedge.text === '') this.fields.forget()
    if (!this.wedge.scanning) this.fields.save(document.activeElement)
  }

  /** Process a character. @param {string} character @param {number} time */
  type(character, time) {
    this.wedge.expectsEnd = this.ends.isExpected && !this.fields.isForText
    this.wedge.type(character, time)
    this.flushWhenIdle()
  }

  /** Process a key that types nothing by itself. @param {number} time */
  hold(time) {
    this.wedge.hold(time)
    if (this.wedge.text !== '') this.flushWhenIdle()
  }

  /**
   * Whether a character reaches no element: no field has the focus, or the code has been refused that it belongs to. A space
   * may press the focused button, unless other keys came right before it.
   * @param {string} character the last one @param {number} time
   */
  isForPageAlone(character, time) {
    const belongs = this.fields.isForAmount && this.typed.continues(time, character)
    if (!this.fields.isNone) return belongs && this.typed.isCode
    return !this.wedge.scanning && (character !== ' ' || belongs || this.wedge.text !== character)
  }

  /** Release keys of a person who types into a field for text before a key comes at this time. @param {number} time */
  doubt(time) {
    if (this.wedge.doubts(time) && this.isWithholding && !this.fields.isForAmount) this.release(this.wedge.take())
  }

  /** A key that types nothing is a person's, unless it is in the middle of a scan or a code; so is what came before it. */
  interrupt() {
    const { kind } = this.wedge
    if (kind === 'person' || (kind === 'either' && !this.fields.isForAmount)) this.release(this.wedge.take())
    if (!this.typed.isCode) this.typed.end()
  }

  /** Process an Enter or a Tab. @param {number} time @returns {boolean} whether it is the scanner's */
  end(time) {
    const follows = this.wedge.follows(time)
    const was = this.wedge.end(time)
    // no person ends what an input method has inserted as fast as this, however short it is
    const isInserted = this.fields.isInserted && this.fields.taking !== undefined && follows
    const isScan = was === 'ended' || isInserted || (this.wedge.scanning && this.isScan(this.wedge.kind))
    if (isScan) this.endScan(this.wedge.take())
    if (was === 'behind') this.endBehind(time)
    if (isScan || was === 'behind') return true
    const { isForAmount } = this.fields
    this.release(this.wedge.take())
    return isForAmount && this.endCode(time)
  }

  /** Deliver a scan that an Enter or a Tab has ended. @param {string} text */
  endScan(text) {
    this.ends.ended()
    if (this.typed.scan(this.wedge.times, 'enter')) return this.refuse('incomplete')
    this.separate()
    this.deliver(text)
  }

  /** Process an Enter or a Tab behind a scan that silence has ended. @param {number} time */
  endBehind(time) {
    this.typed.end()
    if (time - this.wedge.last < QUICK) this.ends.ended()
  }

  /**
   * Process an Enter or a Tab behind keys that were not heard as a scan.
   * @param {number} time @returns {boolean} whether they were a code
   */
  endCode(time) {
    const isSaid = this.typed.isCode
    if (!this.typed.enter(time)) return false
    if (time - this.typed.last < QUICK) this.ends.ended()
    if (!isSaid) this.refuse('code')
    return true
  }

  /** @param {number} time */
  flushIfOver(time) {
    const over = this.wedge.over(time)
    if (over) this.decide(over.kind, over.text)
  }

  flushWhenIdle() {
    clearTimeout(this.timer)
    const due = performance.now() + this.wedge.patience
    this.timer = setTimeout(() => {
      if (performance.now() - due > LATE) this.flushWhenIdle()
      else this.flushIfOver(performance.now())
    }, this.wedge.patience)
  }

  /** Decide what keys were that only silence has ended. @param {import('../types.js').KeysKind} kind @param {string} text */
  decide(kind, text) {
    if (!this.isScan(kind)) return this.release(text)
    this.wedge.expectEnd()
    const isRest = this.typed.scan(this.wedge.times, 'silence')
    if (!isRest) this.separate()
    if (!this.ends.unended() || isRest) this.refuse('incomplete')
    else this.deliver(text)
  }

  /** @param {import('../types.js').KeysKind} kind */
  isScan(kind) {
    if (kind === 'person' || kind === 'scan')
      return kind === 'scan' && !(this.fields.isInserted && this.fields.isForText)
    // with the setting for slow scanners, a few keys may be as slow as a person's
    return this.fields.isForAmount && (kind === 'slow' || this.wedge.isQuick)
  }

  /** @param {string} text */
  deliver(text) {
    if (!this.fields.fill(text)) this.told.scanned(text)
  }

  /** Deliver keys that are no scan, unless they are a code where an amount is typed. @param {string} text */
  release(text) {
    if (text === '') return
    if (!this.fields.isForAmount) {
      this.typed.end()
      return this.fields.release()
    }
    const isFirst = !this.typed.continues(this.wedge.first, text)
    if (isFirst) this.separate()
    const isSaid = !isFirst && this.typed.isCode
    this.fields.keep()
    const typed = this.fields.isNone ? text : text.replace(SEPARATORS, '')
    if (!this.typed.type(typed, this.wedge.times)) this.releaseAmount(text)
    else if (!isSaid || !this.fields.isNone) this.refuse('code')
  }

  /** @param {string} text */
  releaseAmount(text) {
    if (!this.fields.isNone) this.fields.release()
    else if (this.told.typed(text)) this.used += text
  }

  /** Leave to the page what it has got: the keys that come do not belong to those. */
  separate() {
    this.used = ''
    this.fields.separate()
  }

  /** Take back what the page and its fields have got of a code, and say so. @param {Trouble} trouble */
  refuse(trouble) {
    this.fields.restoreAll()
    const { used } = this
    this.used = ''
    this.told.troubled(trouble, used)
  }
}

/**
 * Remembers on this device whether its scans end with Enter or Tab: then one that silence ends is incomplete. A scanner
 * without Enter may replace one that sends it, so after a few scans without Enter none is expected.
 */
export class ScanEnds {
  #kept = keptValue('localStorage', 'barcodesvc.scans-end')
  #without = 0
  /** Whether the scans of this device end with Enter or Tab. */
  isExpected = this.#kept.read() === true

  /** Note that a scan has ended with Enter or Tab. */
  ended() {
    this.#without = 0
    this.#expect(true)
  }

  /** Note that silence has ended a scan; return whether it is complete. */
  unended() {
    if (!this.isExpected) return true
    this.#without += 1
    if (this.#without < OTHER_SCANNER) return false
    this.#expect(false)
    return true
  }

  /** @param {boolean} isExpected */
  #expect(isExpected) {
    if (isExpected === this.isExpected) return
    this.isExpected = isExpected
    this.#kept.store(isExpected)
  }
}
