/**
 * Finds what may be a slowly scanned code in a text field that is for something else, such as a description.
 *
 * Rule: a scanner types a whole code in one go, faster than most people write: a word with a digit within two seconds, alone or,
 * where numbers are more usual, after other text. It may also be what a person means, so the form asks, and only once.
 */

/** Milliseconds in which a slow scanner types a code. */
const QUICK = 2000

/** Milliseconds without a key after which a person, or the next scan, begins anew. */
const PAUSE = 500

const CODE = /^(?=.*\p{Nd})\S{3,}$/u

/** Fewest characters of a code after other text. */
const FEWEST_ADDED = 6

/** Watch a field for codes. @param {Pick<HTMLInputElement, 'value' | 'addEventListener'>} field */
export function watchCodes(field) {
  let [typed, begun, last, asked] = ['', 0, -Infinity, '']
  /** @type {string[]} */
  const codes = []

  const keep = () => {
    const code = typed.trim()
    if (last - begun <= QUICK && CODE.test(code)) codes.unshift(code)
    typed = ''
  }

  field.addEventListener('input', (event) => {
    const { timeStamp, inputType = '', data = '' } = /** @type {InputEvent} */ (event)
    if (!inputType) {
      // the page has taken back what a fast scan typed: only the text before it counts
      while (!field.value.includes(typed)) typed = typed.slice(0, -1)
      keep()
      last = -Infinity
      return
    }
    if (timeStamp - last > PAUSE) {
      keep()
      begun = timeStamp
    }
    last = timeStamp
    if (inputType === 'insertText') typed += data
    else begun = -Infinity // what is pasted or corrected is a person's
  })

  return {
    /** Return what may be a code in the text now, unless it was asked about already; otherwise an empty text. */
    ask() {
      keep()
      const { value } = field
      const code = codes.find((each) => value === each || (each.length >= FEWEST_ADDED && value.includes(each)))
      if (!code || asked === value) return ''
      asked = value
      return code
    },
  }
}
