/**
 * Finds what may be a slowly scanned code in a text field that is for something else, such as a description.
 *
 * Rule: a scanner types a whole code in one go, faster than most people write: a word with a digit within two seconds, in
 * an empty field or at the end of a text. It may also be what a person means, so the form asks, and only once.
 */

/** Milliseconds in which a slow scanner types a code. */
const QUICK = 2000

/** Milliseconds without a key after which a person, or the next scan, begins anew. */
const PAUSE = 500

/** A code that is the whole text, and one that was added to another text, where numbers are more usual. */
const ALONE = /^(?=.*\p{Nd})\S{3,}$/u
const ADDED = /^(?=.*\p{Nd})\S{6,}$/u

/** Most codes that are remembered of a field. */
const MOST = 10

/** @typedef {{value: string, time: number, isTyped: boolean}} Input the value of a field after an input; a pasted one is not typed */

export class TypedCodes {
  /** Codes that were typed in one go. @type {string[]} */
  #found = []
  #before = ''
  #value
  #begun = 0
  #last = -Infinity
  #isTyped = false
  /** The text that was asked about last. */
  #asked = ''

  /** @param {string} value of the field so far */
  constructor(value) {
    this.#value = value
  }

  /** @param {Input} input */
  note({ value, time, isTyped }) {
    if (time - this.#last > PAUSE) {
      this.#keep()
      this.#before = this.#value
      this.#begun = time
      this.#isTyped = true
    }
    this.#last = time
    this.#isTyped &&= isTyped
    this.#value = value
  }

  /** Return what may be a code in the text now, unless it was asked about already; otherwise an empty text. */
  ask() {
    this.#keep()
    const code = this.#found.find((each) => this.#value.includes(each)) ?? ''
    if (!code || this.#asked === this.#value) return ''
    this.#asked = this.#value
    return code
  }

  /** Remember what was typed since the last pause, if it may be a code. */
  #keep() {
    const added = this.#added()
    const shape = added === this.#value ? ALONE : ADDED
    if (!this.#isTyped || this.#last - this.#begun > QUICK || !shape.test(added)) return
    this.#found = [added, ...this.#found.filter((each) => each !== added)].slice(0, MOST)
  }

  /** The text that was typed since the last pause. */
  #added() {
    const [before, value] = [this.#before, this.#value]
    let start = 0
    while (start < before.length && before[start] === value[start]) start += 1
    const rest = before.slice(start)
    return value.endsWith(rest) ? value.slice(start, value.length - rest.length).trim() : value.slice(start).trim()
  }
}

/** Watch a field for codes. @param {HTMLInputElement} field */
export function watchCodes(field) {
  const codes = new TypedCodes(field.value)
  field.addEventListener('input', (event) => {
    const isPasted = event instanceof InputEvent && /^insert(From|Replacement)/.test(event.inputType)
    codes.note({ value: field.value, time: event.timeStamp, isTyped: !isPasted })
  })
  return codes
}
