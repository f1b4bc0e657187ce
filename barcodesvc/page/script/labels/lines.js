/**
 * The texts of a label, line by line. What is filled in for each product is a chip in the text, and no name in braces.
 *
 * Rule: a chip is inserted where the caret is, or was last. Backspace behind a chip and Delete before it remove it, as any
 * character.
 */

import { text } from '../language.js'
import { LIMITS } from '../api.js'
import { Check, html, Icon, useLayoutEffect, useRef, useSignal } from '../ui.js'
import { partsOf, placeholderName, placeholdersFor } from './placeholders.js'

/** @typedef {import('../types.js').Line} Line */
/** @typedef {{line: number, part: number, at: number}} Caret where the caret is: the line, the part of it, and the character */

/** Sizes to choose from, in points; 0 is that of the layout. */
const SIZES = [0, 6, 7, 8, 10, 11, 12, 14, 16, 20, 24, 30, 36, 48, 60, 72]

/**
 * The lines, with an empty one at the end if there may be another one.
 *
 * @param {{lines: Line[], attributes: string[], change: (lines: Line[]) => void}} props
 */
export function LabelLines({ lines, attributes, change }) {
  const caret = useRef(/** @type {Caret | null} */ (null))
  const wanted = useSignal(/** @type {Caret | null} */ (null))
  const node = useRef(/** @type {HTMLElement | null} */ (null))
  const filled = lines.slice(
    0,
    lines.reduce((end, line, at) => (textOf(line) ? at + 1 : end), 0),
  )
  const shown = filled.length < LIMITS.lines ? [...filled, ''] : filled
  useLayoutEffect(() => {
    if (wanted.value) putCaret(node.current, wanted.value)
    wanted.value = null
  }, [wanted.value])

  /** @type {(line: number, changed: Line) => void} */
  const set = (line, changed) => change(shown.map((each, at) => (at === line ? changed : each)))
  /** Replace the text of a line, and put the caret somewhere. @type {(line: number, parts: string[], at: Caret | null) => void} */
  const rewrite = (line, parts, at) => {
    const [written, before = ''] = [parts.join(''), shown[line]]
    if (written.length > LIMITS.short_text) return
    set(line, typeof before === 'string' ? written : { ...before, text: written })
    wanted.value = at
  }
  /** @param {string} placeholder */
  const insert = (placeholder) => {
    const { line, part, at } = caret.current ?? { line: shown.length - 1, part: 0, at: 0 }
    const parts = partsOf(textOf(shown[line] ?? ''))
    const before = parts[part] ?? ''
    const inserted = [before.slice(0, at), placeholder, before.slice(at)]
    rewrite(line, [...parts.slice(0, part), ...inserted, ...parts.slice(part + 1)], { line, part: part + 2, at: 0 })
  }
  const move = (/** @type {Caret} */ at) => void (wanted.value = at)
  const seen = (/** @type {Caret} */ at) => (caret.current = at)
  return html`
    <div class="lines" ref=${node}>
      <ol class="further">
        ${shown.map(
          (line, at) => html`
            <li key=${at}>
              <${LineText} line=${at} text=${textOf(line)} ...${{ rewrite, move, seen }} />
              <${Look} number=${at + 1} line=${line} set=${(/** @type {Line} */ changed) => set(at, changed)} />
            </li>`,
        )}
      </ol>
      <div class="row chips" role="group" aria-label=${text('labels.insert')}>
        ${placeholdersFor(attributes).map(
          (each) => html`
            <button key=${each} type="button" class="chip" onclick=${() => insert(each)}>
              <${Icon} name="add" />${placeholderName(each)}
            </button>`,
        )}
      </div>
    </div>`
}

/**
 * The text of a line: fields for its texts, with chips between them.
 *
 * @param {object} props
 * @param {number} props.line from 0
 * @param {string} props.text
 * @param {(line: number, parts: string[], caret: Caret | null) => void} props.rewrite
 * @param {(caret: Caret) => void} props.move puts the caret there
 * @param {(caret: Caret) => void} props.seen called with where the caret is
 */
function LineText({ line, text: written, rewrite, move, seen }) {
  const parts = partsOf(written)
  /** @type {(part: number, at: number) => Caret} */
  const caret = (part, at) => ({ line, part, at })
  const remove = (/** @type {number} */ chip) => {
    const [before = '', after = ''] = [parts[chip - 1], parts[chip + 1]]
    rewrite(
      line,
      [...parts.slice(0, chip - 1), before + after, ...parts.slice(chip + 2)],
      caret(chip - 1, before.length),
    )
  }
  /** @type {(part: number, field: HTMLInputElement) => void} */
  const type = (part, { value }) => {
    const changed = parts.map((each, at) => (at === part ? value : each))
    const isChip = partsOf(changed.join('')).length > parts.length
    rewrite(line, changed, isChip ? caret(part + 2, 0) : null)
  }
  /** @type {(part: number, event: KeyboardEvent & {currentTarget: HTMLInputElement}) => void} */
  const press = (part, event) => {
    const { value, selectionStart, selectionEnd } = event.currentTarget
    const isFirst = part > 0 && selectionStart === 0 && selectionEnd === 0
    const isLast = part < parts.length - 1 && selectionStart === value.length
    if (event.key === 'Enter') return move({ line: line + 1, part: 0, at: 0 })
    if (event.key === 'Backspace' && isFirst) remove(part - 1)
    else if (event.key === 'Delete' && isLast) remove(part + 1)
    else if (event.key === 'ArrowLeft' && isFirst) move(caret(part - 2, parts[part - 2]?.length ?? 0))
    else if (event.key === 'ArrowRight' && isLast) move(caret(part + 2, 0))
    else return
    event.preventDefault()
  }
  const field = (/** @type {string} */ part, /** @type {number} */ at) => {
    const name = at ? placeholderName(parts[at - 1] ?? '') : ''
    const values = { number: line + 1, name }
    const look = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget: { selectionStart } }) =>
      seen(caret(at, selectionStart ?? 0))
    return html`
      <input key=${at} type="text" autocomplete="off" value=${part} size=${Math.max(1, part.length)} class=${part ? '' : 'is-empty'}
        maxlength=${LIMITS.short_text - written.length + part.length} data-part=${at}
        aria-label=${text(at ? 'labels.line.after' : 'labels.line', values)} onblur=${look} onkeyup=${look} onclick=${look}
        oninput=${(/** @type {any} */ { currentTarget }) => type(at, currentTarget)}
        onkeydown=${(/** @type {any} */ event) => press(at, event)} />`
  }
  const chip = (/** @type {string} */ part, /** @type {number} */ at) => html`
    <button key=${at} type="button" class="chip" aria-label=${text('labels.chip.remove', { name: placeholderName(part) })}
      onclick=${() => remove(at)}>${placeholderName(part)}<${Icon} name="bad" /></button>`
  return html`<div class="line-text" data-line=${line}>${parts.map((part, at) => (at % 2 ? chip : field)(part, at))}</div>`
}

/** The size of a line, whether it is bold, and where. @param {{number: number, line: Line, set: (line: Line) => void}} props */
function Look({ number, line, set }) {
  const { text: written, size = 0, bold = false, place = 'below' } = typeof line === 'string' ? { text: line } : line
  const named = (/** @type {string} */ what) => text('labels.line.of', { what: text(what), number })
  const change = (/** @type {object} */ changed) => set({ text: written, size, bold, place, ...changed })
  const sizes = [...new Set([...SIZES, size])].sort((one, other) => one - other)
  const choice = (
    /** @type {string} */ label,
    /** @type {string | number} */ value,
    /** @type {[string | number, string][]} */ options,
    /** @type {(value: string) => void} */ chosen,
  ) => html`
    <select aria-label=${named(label)} value=${value} disabled=${!written.trim()}
      onchange=${(/** @type {{currentTarget: HTMLSelectElement}} */ { currentTarget }) => chosen(currentTarget.value)}>
      ${options.map(([each, says]) => html`<option key=${each} value=${each} selected=${each === value}>${says}</option>`)}
    </select>`
  return html`
    <div class="look">
      ${choice(
        'labels.line.size',
        size,
        sizes.map((each) => [each, each ? text('labels.line.points', { size: each }) : text('labels.line.usual')]),
        (value) => change({ size: Number(value) }),
      )}
      ${choice(
        'labels.line.place',
        place,
        [
          ['above', text('labels.line.above')],
          ['below', text('labels.line.below')],
        ],
        (value) => change({ place: value }),
      )}
      <${Check} label=${html`<b>${text('labels.line.bold')}</b>`} aria-label=${named('labels.line.bold')} value=${bold}
        disabled=${!written.trim()} changed=${(/** @type {boolean} */ isBold) => change({ bold: isBold })} />
    </div>`
}

/** @param {Line} line */
function textOf(line) {
  return typeof line === 'string' ? line : line.text
}

/** Put the caret into a field. @type {(node: HTMLElement | null, caret: Caret) => void} */
function putCaret(node, { line, part, at }) {
  const field = /** @type {HTMLInputElement | null} */ (
    node?.querySelector(`[data-line='${line}'] [data-part='${part}']`) ?? null
  )
  field?.focus()
  field?.setSelectionRange(at, at)
}
