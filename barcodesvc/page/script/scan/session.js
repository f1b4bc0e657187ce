/**
 * One session of scanning: the mode, the typed amount, and the product that waits for it.
 *
 * Rule: while a product waits, the amount belongs to it, until a person confirms or cancels; otherwise to what comes first,
 * the next scan, or minus, plus or set for the product that is shown. In Set, digits that follow a confirmed level correct
 * it. So no amount goes to another product than the one shown. Digits that are part of a code are taken back. So are those
 * that are too many for an amount, from a scanner that is slower than a person. Nothing here uses a document.
 */

/** @typedef {import('./modes.js').Mode} Mode */
/** @typedef {{code: string, type?: string, delta?: number, level?: number, reason?: string}} Change one booking */
/** @typedef {{book: Change[], show?: string, type?: string}} Steps what to book, in this order, and then the code to show, with its symbology */
/** @typedef {'used' | 'code' | 'other'} Typed what typed text is: of the amount, of a code, or neither */

/** Most digits of an amount that is put in or out, and of a level. */
const AMOUNT = 8
const LEVEL = 9

/** Most digits of an amount before an Enter, which a slow scanner types after a code. */
const BEFORE_ENTER = 6

/** Milliseconds without a digit after which the next one does not belong to those before it. */
const PAUSE = 1000

export class ScanSession {
  /** @param {Mode} mode */
  constructor(mode) {
    this.mode = mode
    /** Digits as they were typed, with leading zeros. */
    this.typed = ''
    /** When the last digit of a discarded code was typed. */
    this.discarded = -Infinity
    /** The code whose product waits for its amount, or empty; and its symbology, if the camera has read it. */
    this.waiting = ''
    this.waitingType = ''
    /** Whether the waiting product waits for a level, whatever the mode. */
    this.waitsForLevel = false
    /** The product whose level was confirmed last: typed digits make it wait again. @type {{code: string, type: string} | null} */
    this.counted = null
    /** The code of the product that is shown, or empty: minus, plus and set change it. */
    this.product = ''
    /** Why the next bookings are made, or empty. */
    this.reason = ''
    /** Bookings whose result has not been signalled yet. @type {Set<number>} */
    this.pending = new Set()
  }

  /** @param {Mode} mode */
  choose(mode) {
    this.mode = mode
    this.reason = ''
    this.cancel()
  }

  /** What the amount is for: the mode, but a waiting product may wait for its level in any mode. */
  get direction() {
    return this.waitsForLevel ? 'set' : this.mode
  }

  /** Whether an amount can be typed: a look-up needs a product. */
  get takesAmount() {
    return this.direction !== 'look-up' || this.product !== ''
  }

  /** The typed amount. A level may be 0, but an amount of 0 would book nothing. */
  get digits() {
    return this.typed.replace(this.direction === 'set' ? /^0+(?=\d)/ : /^0+/, '')
  }

  /** Whether a level is still to be typed. */
  get lacksLevel() {
    return this.direction === 'set' && this.digits === ''
  }

  /**
   * Put in or take out the typed amount of the product that is shown; not while a scanned one waits.
   *
   * @param {1 | -1} sign
   * @returns {Steps}
   */
  step(sign) {
    if (this.product === '' || (this.waiting !== '' && !this.counted)) return { book: [] }
    const amount = Number(this.typed) || 1
    this.waiting = ''
    this.clear()
    return { book: [this.reasoned({ code: this.product, delta: sign * amount })] }
  }

  /** Set the level of the product that is shown to the typed number; without one, it waits for its level. @returns {Steps} */
  set() {
    if (!this.product || this.waiting) return { book: [] }
    if (this.typed === '') {
      this.waitsForLevel = true
      return { book: [], ...this.wait(this.product) }
    }
    const level = Number(this.typed)
    this.clear()
    this.count(this.product)
    return { book: [this.reasoned({ code: this.product, level })] }
  }

  /** Process a scanned code. @param {string} code @param {string} [type] @returns {Steps} */
  scan(code, type = '') {
    const book = this.left()
    if (this.mode === 'look-up') {
      this.clear()
      return { book, show: code, ...(type && { type }) }
    }
    if (this.mode === 'set' && this.digits === '') return { book, ...this.wait(code, type) }
    book.push(this.changeOf(code, type))
    return { book }
  }

  /** Process a code that a person typed: its product waits, so that it is seen before it is booked. @param {string} code @returns {Steps} */
  enter(code) {
    if (this.mode === 'look-up') return this.scan(code)
    return { book: this.left(), ...this.wait(code) }
  }

  /**
   * Add digits; other text is not for the amount.
   *
   * @param {string} text
   * @param {number} [time] milliseconds of any clock
   * @returns {Typed}
   */
  type(text, time = performance.now()) {
    if (!/^\d+$/.test(text) || !this.takesAmount) return 'other'
    if (time - this.discarded < PAUSE) {
      this.discarded = time
      return 'used'
    }
    if (this.counted && !this.waiting) this.correct(this.counted)
    this.typed += text
    if (this.typed.length <= (this.direction === 'set' ? LEVEL : AMOUNT)) return 'used'
    this.discard()
    this.discarded = time
    return 'code'
  }

  /**
   * Process an Enter; return whether it confirms the product that waits, or the digits before it are those of a code, or an
   * amount that is for no product. Both are discarded. Where a scanned product waits for its level, any number is meant.
   *
   * @returns {'confirm' | 'code' | 'unused' | 'nothing'}
   */
  end() {
    this.discarded = -Infinity
    const isLevel = this.direction === 'set' && this.waiting !== '' && !this.counted
    const isOfCode = !isLevel && this.typed.length > BEFORE_ENTER
    const isUnused = this.typed !== '' && this.product !== '' && ['set', 'look-up'].includes(this.direction)
    if (this.waiting && !isOfCode) return 'confirm'
    if (isOfCode || isUnused || this.direction === 'look-up') this.discard()
    return isOfCode ? 'code' : isUnused ? 'unused' : 'nothing'
  }

  /** Take back the last digits, which were part of a code that has ended: they also correct nothing. @param {number} count */
  takeBack(count) {
    this.discarded = -Infinity
    if (count === 0) return
    this.typed = this.typed.slice(0, -count)
    if (this.counted && this.typed === '') this.waiting = ''
  }

  /** Delete the last digit. */
  erase() {
    this.typed = this.typed.slice(0, -1)
  }

  clear() {
    this.typed = ''
  }

  /** Book the product that waits. @returns {Steps} */
  confirm() {
    if (!this.waiting || this.lacksLevel) return { book: [] }
    const { waiting, waitingType } = this
    const book = [this.changeOf(waiting, waitingType)]
    this.count(waiting, waitingType)
    return { book }
  }

  /** Forget the product that waits, and what was typed. */
  cancel() {
    this.waiting = ''
    this.waitsForLevel = false
    this.counted = null
    this.clear()
  }

  /**
   * Return how the results of bookings sound: bad if any is refused, good if one of this session is booked.
   *
   * @param {{id: number, state: string}[]} changed
   * @returns {'good' | 'bad' | null}
   */
  outcome(changed) {
    const answered = changed.filter(({ id, state }) => state !== 'waiting' && this.pending.delete(id))
    if (changed.some(({ state }) => state === 'refused')) return 'bad'
    return answered.some(({ state }) => state === 'booked') ? 'good' : null
  }

  /** Return the change of the waiting product if its amount was typed; without one, it stays unchanged. */
  left() {
    if (!this.waiting) return []
    if (this.digits !== '') return [this.changeOf(this.waiting, this.waitingType)]
    this.waiting = ''
    this.waitsForLevel = false
    return []
  }

  /** @param {string} code @param {string} [type] */
  wait(code, type = '') {
    this.counted = null
    this.waiting = code
    this.waitingType = type
    return { show: code, ...(type && { type }) }
  }

  /** Remember a product whose level is confirmed, where the next digits can only be meant for it or for the next scan. @param {string} code @param {string} [type] */
  count(code, type = '') {
    if (this.mode === 'set') this.counted = { code, type }
  }

  /** Wait for another level of a product that was counted. @param {{code: string, type: string}} counted */
  correct(counted) {
    this.wait(counted.code, counted.type)
    this.counted = counted
  }

  /** Forget digits that are no amount; they correct nothing. */
  discard() {
    if (this.counted) this.cancel()
    else this.clear()
  }

  /** @param {string} code @param {string} type @returns {Change} */
  changeOf(code, type) {
    const amount = Number(this.digits || '1')
    const { direction } = this
    this.cancel()
    const named = { code, ...(type && { type }) }
    if (direction === 'set') return this.reasoned({ ...named, level: amount })
    return this.reasoned({ ...named, delta: direction === 'put-in' ? amount : -amount })
  }

  /** @param {Change} change @returns {Change} */
  reasoned(change) {
    return this.reason ? { ...change, reason: this.reason } : change
  }
}
