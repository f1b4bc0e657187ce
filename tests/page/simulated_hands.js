/**
 * Random hands at a desk: scans of a stuttering scanner, and amounts and Enters that a person types between them.
 *
 * A sequence is the keys with the times at which they are pressed. A scanner's keys follow within 5-120 ms, except for pauses of
 * up to 600 ms; a person's after 120-700 ms, and after a longer rest when they turn from the keyboard to the scanner.
 */

/** @type {import('../../barcodesvc/page/script/types.js').Mode[]} */
export const MODES = ['look-up', 'put-in', 'take-out', 'set']

/** @typedef {{at: number, key: string, hand: 'scanner' | 'person'}} Press */

/** Codes of every kind, of which a scanner sends all keys. */
const KINDS = [
  'AA-9999',
  'AAA/999',
  '99',
  '9999',
  '999999',
  '99999999',
  '9999999999999',
  '9A9A-99',
  'A-9',
  'AA',
  '99 99',
]
const MORE_KINDS = [
  '9-9999',
  '+A999A9',
  '-9999',
  ']C1019999999999999910AA9',
  'aaaa-aaaa',
  '9.9',
  'A9',
  '9999999 A',
  '0009',
]

/** Most digits that a person types in a sequence: more of them before an Enter are a code. */
const MOST_DIGITS = 6

/** Most pauses within a scan. */
const PAUSES = 2

export class Hands {
  #seed
  #time = 1000
  /** @type {Press[]} */
  presses = []

  /** @param {number} seed */
  constructor(seed) {
    this.#seed = seed * 7919 + 1
  }

  /** Return a number of at least `least` and less than `below`. */
  between(least = 0, below = 1) {
    // a generator of MINSTD: the same sequence for the same seed
    this.#seed = (this.#seed * 48271) % 2147483647
    return least + (this.#seed / 2147483647) * (below - least)
  }

  /**
   * @template Item
   * @param {Item[]} items
   * @returns {Item}
   */
  one(items) {
    return /** @type {Item} */ (items[Math.floor(this.between(0, items.length))])
  }

  /**
   * @param {string} key
   * @param {number} after milliseconds after the key before it
   * @param {Press['hand']} hand
   */
  #press(key, after, hand) {
    this.#time += Math.floor(after)
    this.presses.push({ at: this.#time, key, hand })
  }

  /** @param {number} time */
  rest(time) {
    this.#time += Math.floor(time)
  }

  /** A code of any kind. */
  code() {
    const kind = this.one([...KINDS, ...MORE_KINDS])
    const fresh = { 9: '0123456789', A: 'ABCDEFGHJKLMNPRSTUVWXYZ', a: 'abcdefghijklmnopqrstuvwxyz' }
    return kind.replace(/[9Aa]/g, (one) => this.one([...fresh[/** @type {'9' | 'A' | 'a'} */ (one)]]))
  }

  /**
   * Scan a code: at least two of the keys follow each other without a pause.
   *
   * @param {string} code
   * @param {string[]} end
   */
  scan(code, end) {
    const keys = [...code, ...end]
    const slowest = this.one([10, 50, 119])
    const pauses = new Set()
    const most = Math.min(this.one([0, 1, PAUSES]), keys.length - 2)
    while (pauses.size < most) pauses.add(Math.floor(this.between(1, keys.length)))
    keys.forEach((key, index) =>
      this.#press(key, pauses.has(index) ? this.between(0, 600) : this.between(5, slowest), 'scanner'),
    )
    // hands turn to the keyboard, or to the scanner again; without an Enter it is not clear yet that the scan has ended
    this.rest(this.between(end.length ? 150 : 1000, 2000))
  }

  /** Type a key, or several, as a person. @param {string[]} text */
  type(...text) {
    for (const key of text) this.#press(key, this.between(120, 700), 'person')
  }

  /** Turn to the scanner. */
  turn() {
    this.rest(this.between(1000, 2500))
  }
}

/**
 * Return what happens in one sequence.
 *
 * @param {number} seed
 * @param {number} steps
 */
export function sequence(seed, steps) {
  const hands = new Hands(seed)
  const mode = hands.one([...MODES])
  const end = hands.one([['Enter'], ['Enter'], ['Tab'], []])
  /** @type {string[]} */
  const used = []
  let left = MOST_DIGITS
  for (let step = 0; step < steps; step += 1) {
    const what = hands.between()
    if (what < 0.55 || left === 0) {
      const code = used.length && hands.between() < 0.3 ? hands.one(used) : hands.code()
      used.push(code)
      hands.scan(code, hands.between() < 0.05 ? [] : end)
      if (hands.presses.at(-1)?.key !== end[0]) hands.rest(1000)
      continue
    }
    const digits = String(Math.floor(hands.between(1, hands.one([10, 100, 10000])))).slice(0, left)
    left -= digits.length
    hands.type(...digits)
    if (what > 0.7) hands.type('Enter')
    hands.turn()
  }
  return { mode, presses: hands.presses }
}
