/** The encoding of a text file: which one was assumed, and others to choose if the preview shows wrong letters. */

import { element, fill } from '../dom.js'
import { text } from '../language.js'

/** Encodings that programs write, by the names of the service; the most usual ones first. */
const ENCODINGS = [
  'utf-8',
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'iso-8859-2',
  'iso-8859-15',
  'koi8-r',
  'cp437',
  'cp850',
  'cp852',
  'cp866',
  'macintosh',
  'shift_jis',
  'euc-jp',
  'gbk',
  'gb18030',
  'big5',
  'euc-kr',
  'utf-16',
]

/** @param {(encoding: string) => void} choose */
export function encodingChoice(choose) {
  const field = element('select', { onchange: () => choose(field.value) })
  const guess = element('p', { class: 'problem', role: 'status' })
  const node = element(
    'div',
    { hidden: true },
    guess,
    element('label', { class: 'sheet-title' }, text('import.encoding'), field),
  )

  /**
   * @param {string} assumed empty for a file that has none
   * @param {boolean} isGuess
   */
  function show(assumed, isGuess) {
    node.hidden = assumed === ''
    guess.textContent = isGuess ? text('import.encoding.guess', { encoding: assumed }) : ''
    const others = ENCODINGS.filter((name) => plain(name) !== plain(assumed))
    fill(field, ...[assumed, ...others].map((name) => element('option', { value: name }, name)))
    field.value = assumed
  }

  /** Ask for the encoding of a file that cannot be read without. */
  function ask() {
    node.hidden = false
    fill(field, ...['', ...ENCODINGS].map((name) => element('option', { value: name }, name)))
  }
  return { node, show, ask }
}

/** Return the name of an encoding without what differs among its spellings. @param {string} name */
function plain(name) {
  return name.toLowerCase().replace(/[^a-z\d]/g, '')
}
