/**
 * The texts of a label, line by line. What is filled in for each product is a chip in the text, and no name in braces.
 *
 * Rule: a chip is inserted where the caret is, or was last. Backspace behind a chip and Delete before it remove it, as any
 * character.
 */

import { LIMITS } from '../api.js'
import { text } from '../language.js'
import { Check, html, Icon, Select, useLayoutEffect, useRef, useSignal } from '../ui.js'
import { partsOf, placeholderName, placeholdersFor, styled } from './layouts.js'

/** @typedef {import('../types.js').Line} Line */
/** @typedef {{line: number, part: number, at: number}} Caret the line, the part of it, and the character before which the caret is */
/** @typedef {(line: number, parts: string[], caret: Caret | null) => void} Rewrite replaces the text of a line, and moves the caret */

/** Sizes to choose from, in points; 0 is that of the layout. */
const SIZES = [0, 6, 7, 8, 10, 11, 12, 14, 16, 20, 24, 30, 36, 48, 60, 72]

/** The lines, with an empty one at the end if there may be another one. @param {{lines: Line[], attributes: string[], change: (lines: Line[]) => void}} props */
export function LabelLines({ lines, attributes, change }) {
  const node = useRef(/** @type {HTMLElement | null} */ (null))
  const last = useRef(/** @type {HTMLInputElement | null} */ (null))
  const wanted = useSignal(/** @type {Caret | null} */ (null))
  const count = lines.reduce((end, line, at) => (styled(line).text ? at + 1 : end), 0)
  const shown = [...lines.slice(0, count), ''].slice(0, LIMITS.lines).map(styled)
  useLayoutEffect(() => {
    if (!wanted.value) return
    const { line, part, at } = wanted.value
    const field = node.current?.querySelector(`[data-line='${line}'] [data-part='${part}']`)
    if (field instanceof HTMLInputElement) (field.focus(), field.setSelectionRange(at, at))
    wanted.value = null
  }, [wanted.value])

  const move = (/** @type {Caret | null} */ caret) => void (wanted.value = caret)
  /** @type {(line: number, changed: object) => void} */
  const set = (line, changed) => change(shown.map((each, at) => (at === line ? { ...each, ...changed } : each)))
  /** @type {Rewrite} */
  const rewrite = (line, parts, caret) => {
    if (parts.join('').length > LIMITS.short_text) return
    set(line, { text: parts.join('') })
    move(caret)
  }
  const insert = (/** @type {string} */ placeholder) => {
    const field = last.current?.isConnected ? last.current : null
    const line = Number(field?.closest('li')?.dataset['line'] ?? shown.length - 1)
    const [part, at] = [Number(field?.dataset['part'] ?? 0), field?.selectionStart ?? 0]
    const parts = partsOf(shown[line]?.text ?? '')
    const before = parts[part] ?? ''
    parts.splice(part, 1, before.slice(0, at), placeholder, before.slice(at))
    rewrite(line, parts, { line, part: part + 2, at: 0 })
  }
  const leave = (/** @type {FocusEvent} */ { target }) => {
    if (target instanceof HTMLInputElement && target.dataset['part']) last.current = target
  }
  return html`
    <div class="lines" ref=${node}>
      <ol class="lines" onfocusout=${leave}>
        ${shown.map(
          (line, at) => html`
            <li key=${at} data-line=${at}>
              <${LineText} line=${at} text=${line.text} ...${{ rewrite, move }} />
              <${Look} number=${at + 1} line=${line} set=${(/** @type {object} */ changed) => set(at, changed)} />
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

/** The text of a line: fields for its texts, with chips between them. @param {{line: number, text: string, rewrite: Rewrite, move: (caret: Caret) => void}} props */
function LineText({ line, text: written, rewrite, move }) {
  const parts = partsOf(written)
  /** @type {(part: number, at: number) => Caret} */
  const caret = (part, at) => ({ line, part, at })
  const remove = (/** @type {number} */ chip) => {
    const [before = '', after = ''] = [parts[chip - 1], parts[chip + 1]]
    const rest = [...parts.slice(0, chip - 1), before + after, ...parts.slice(chip + 2)]
    rewrite(line, rest, caret(chip - 1, before.length))
  }
  /** @type {(part: number, event: {currentTarget: HTMLInputElement}) => void} */
  const type = (part, { currentTarget: { value } }) => {
    const changed = parts.map((each, at) => (at === part ? value : each))
    const isChip = partsOf(changed.join('')).length > parts.length
    rewrite(line, changed, isChip ? caret(part + 2, 0) : null)
  }
  /** @type {(part: number, event: KeyboardEvent & {currentTarget: HTMLInputElement}) => void} */
  const press = (part, event) => {
    const { value, selectionStart, selectionEnd } = event.currentTarget
    const isFirst = part > 0 && selectionStart === 0 && selectionEnd === 0
    const isLast = part < parts.length - 1 && selectionStart === value.length
    if (event.key === 'Enter') move({ line: line + 1, part: 0, at: 0 })
    else if (event.key === 'Backspace' && isFirst) remove(part - 1)
    else if (event.key === 'Delete' && isLast) remove(part + 1)
    else if (event.key === 'ArrowLeft' && isFirst) move(caret(part - 2, parts[part - 2]?.length ?? 0))
    else if (event.key === 'ArrowRight' && isLast) move(caret(part + 2, 0))
    else return
    event.preventDefault()
  }
  const field = (/** @type {string} */ part, /** @type {number} */ at) => {
    const values = { number: line + 1, name: at ? placeholderName(parts[at - 1] ?? '') : '' }
    return html`
      <input key=${at} type="text" autocomplete="off" value=${part} size=${Math.max(1, part.length)} class=${part ? '' : 'is-empty'}
        maxlength=${LIMITS.short_text - written.length + part.length} data-part=${at}
        aria-label=${text(at ? 'labels.line.after' : 'labels.line', values)}
        oninput=${(/** @type {any} */ event) => type(at, event)} onkeydown=${(/** @type {any} */ event) => press(at, event)} />`
  }
  const chip = (/** @type {string} */ part, /** @type {number} */ at) => html`
    <button key=${at} type="button" class="chip" aria-label=${text('labels.chip.remove', { name: placeholderName(part) })}
      onclick=${() => remove(at)}>${placeholderName(part)}<${Icon} name="bad" /></button>`
  return html`<div class="line-text">${parts.map((part, at) => (at % 2 ? chip : field)(part, at))}</div>`
}

/** The size of a line, where it is, and whether it is bold. @param {{number: number, line: Required<import('../types.js').StyledLine>, set: (changed: object) => void}} props */
function Look({ number, line: { text: written, size, place, bold }, set }) {
  const named = (/** @type {string} */ what) => text('labels.line.of', { what: text(what), number })
  const sizes = [...new Set([...SIZES, size])].sort((one, other) => one - other)
  const sizeName = (/** @type {number} */ each) =>
    text(each ? 'labels.line.points' : 'labels.line.usual', { size: each })
  const places = ['above', 'below'].map((each) => [each, text(`labels.line.${each}`)])
  const common = { label: '', disabled: !written.trim() }
  return html`
    <div class="look">
      <${Select} ...${common} aria-label=${named('labels.line.size')} value=${String(size)}
        options=${sizes.map((each) => [String(each), sizeName(each)])}
        changed=${(/** @type {string} */ chosen) => set({ size: Number(chosen) })} />
      <${Select} ...${common} aria-label=${named('labels.line.place')} value=${place} options=${places}
        changed=${(/** @type {string} */ chosen) => set({ place: chosen })} />
      <${Check} disabled=${common.disabled} label=${html`<b>${text('labels.line.bold')}</b>`}
        aria-label=${named('labels.line.bold')} value=${bold} changed=${(/** @type {boolean} */ is) => set({ bold: is })} />
    </div>`
}
