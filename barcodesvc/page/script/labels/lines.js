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

/** @import {Line, Signal, StyledLine} from '../types.js' */

/** The line, the part of it, and the character before which the caret is. @typedef {{line: number, part: number, at: number}} Caret */
/** Replaces the parts of a line, and moves the caret. @typedef {(line: number, parts: string[], caret: Caret | null) => void} Rewrite */

/** Sizes to choose from, in points; 0 is that of the layout. */
const SIZES = [0, 6, 7, 8, 10, 11, 12, 14, 16, 20, 24, 30, 36, 48, 60, 72]

/** The lines, with an empty one at the end if there may be another one. @param {{lines: Line[], attributes: string[], change: (lines: Line[]) => void}} props */
export function LabelLines({ lines, attributes, change }) {
  const node = useRef(/** @type {HTMLElement | null} */ (null))
  const wanted = useSignal(/** @type {Caret | null} */ (null))
  const last = useRef(/** @type {HTMLInputElement | null} */ (null))
  const count = lines.reduce((end, line, at) => (styled(line).text ? at + 1 : end), 0)
  const shown = [...lines.slice(0, count), ''].slice(0, LIMITS.lines).map(styled)
  useLayoutEffect(() => {
    if (!wanted.value) return
    const { line, part, at } = wanted.value
    const field = node.current?.querySelector(`[data-line='${line}'] [data-part='${part}']`)
    if (field instanceof HTMLInputElement) (field.focus(), field.setSelectionRange(at, at))
    wanted.value = null
  }, [wanted.value])

  const set = (/** @type {number} */ line, /** @type {object} */ changed) =>
    change(shown.map((each, at) => (at === line ? { ...each, ...changed } : each)))
  /** @type {Rewrite} */
  const rewrite = (line, parts, caret) => {
    if (parts.join('').length > LIMITS.short_text) return
    set(line, { text: parts.join('') })
    wanted.value = caret
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
  return html`
    <div class="lines" ref=${node}>
      <ol class="lines" onfocusout=${(/** @type {any} */ { target }) => target.dataset.part && (last.current = target)}>
        ${shown.map(
          (line, at) => html`
            <li key=${at} data-line=${at}>
              <${LineText} line=${at} text=${line.text} rewrite=${rewrite} wanted=${wanted} />
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

/** The text of a line: fields for its texts, with chips between them. @param {{line: number, text: string, rewrite: Rewrite, wanted: Signal<Caret | null>}} props `wanted` is where the caret goes */
function LineText({ line, text: written, rewrite, wanted }) {
  const parts = partsOf(written)
  /** @type {(part: number, at?: number) => Caret} */
  const caret = (part, at = parts[part]?.length ?? 0) => ({ line, part, at })
  const remove = (/** @type {number} */ chip) => {
    const around = `${parts[chip - 1]}${parts[chip + 1]}`
    rewrite(line, [...parts.slice(0, chip - 1), around, ...parts.slice(chip + 2)], caret(chip - 1))
  }
  const type = (/** @type {number} */ part, /** @type {string} */ typed) => {
    const changed = parts.map((each, at) => (at === part ? typed : each))
    const isChip = partsOf(changed.join('')).length > parts.length
    rewrite(line, changed, isChip ? caret(part + 2, 0) : null)
  }
  /** @type {(part: number, event: KeyboardEvent & {currentTarget: HTMLInputElement}) => void} */
  const press = (part, event) => {
    const { value, selectionStart, selectionEnd } = event.currentTarget
    const isFirst = part > 0 && selectionStart === 0 && selectionEnd === 0
    const isLast = part < parts.length - 1 && selectionStart === value.length
    if (event.key === 'Enter') wanted.value = { line: line + 1, part: 0, at: 0 }
    else if (event.key === 'Backspace' && isFirst) remove(part - 1)
    else if (event.key === 'Delete' && isLast) remove(part + 1)
    else if (event.key === 'ArrowLeft' && isFirst) wanted.value = caret(part - 2)
    else if (event.key === 'ArrowRight' && isLast) wanted.value = caret(part + 2, 0)
    else return
    event.preventDefault()
  }
  const nameAt = (/** @type {number} */ at) => placeholderName(parts[at] ?? '')
  return html`
    <div class="line-text">
      ${parts.map((part, at) =>
        at % 2
          ? html`
            <button key=${at} type="button" class="chip" onclick=${() => remove(at)}
              aria-label=${text('remove', { name: nameAt(at) })}>${nameAt(at)}<${Icon} name="bad" /></button>`
          : html`
            <input key=${at} type="text" autocomplete="off" data-part=${at} value=${part} class=${part ? '' : 'is-empty'}
              size=${Math.max(1, part.length)} maxlength=${LIMITS.short_text - written.length + part.length}
              aria-label=${text(at ? 'labels.line.after' : 'labels.line', { number: line + 1, name: nameAt(at - 1) })}
              oninput=${(/** @type {any} */ { currentTarget }) => type(at, currentTarget.value)}
              onkeydown=${(/** @type {any} */ event) => press(at, event)} />`,
      )}
    </div>`
}

/** The size of a line, where it is, and whether it is bold. @param {{number: number, line: Required<StyledLine>, set: (changed: object) => void}} props */
function Look({ number, line: { text: written, size, place, bold }, set }) {
  const named = (/** @type {string} */ what) => text('labels.line.of', { what: text(what), number })
  const sizes = [...new Set([...SIZES, size])].sort((one, other) => one - other)
  const nameOf = (/** @type {number} */ each) => text(each ? 'labels.line.points' : 'labels.line.usual', { size: each })
  const disabled = !written.trim()
  return html`
    <div class="look">
      <${Select} label="" aria-label=${named('labels.line.size')} disabled=${disabled} value=${String(size)}
        options=${sizes.map((each) => [String(each), nameOf(each)])} changed=${(/** @type {string} */ chosen) => set({ size: Number(chosen) })} />
      <${Select} label="" aria-label=${named('labels.line.place')} disabled=${disabled} value=${place}
        options=${['above', 'below'].map((each) => [each, text(`labels.line.${each}`)])}
        changed=${(/** @type {string} */ chosen) => set({ place: chosen })} />
      <${Check} label=${html`<b>${text('labels.line.bold')}</b>`} aria-label=${named('labels.line.bold')}
        disabled=${disabled} value=${bold} changed=${(/** @type {boolean} */ is) => set({ bold: is })} />
    </div>`
}
