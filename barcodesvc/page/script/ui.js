/**
 * What every view is made of: components, and how they are drawn. docs/design.md shows them.
 *
 * Rule: a component is a function of its properties and of signals, which returns a template (Preact, htm). This module
 * alone knows the library. A field takes a signal as its `value`, and sets it as a person types.
 */

import { batch, computed, effect, Fragment, h, htm, render, Signal, signal } from '../library/preact.js'
import { useComputed, useEffect, useLayoutEffect, useMemo, useRef } from '../library/preact.js'
import { useSignal, useSignalEffect } from '../library/preact.js'
import { Refusal, Unreachable } from './api.js'
import { text } from './language.js'
import { refusalText, whyUnreachable } from './reasons.js'
import { PATHS } from './symbols.js'

export { batch, computed, effect, Fragment, signal }
export { useComputed, useEffect, useLayoutEffect, useMemo, useRef, useSignal, useSignalEffect }

/** @typedef {import('./types.js').Children} Children */

/** Milliseconds after which a view says that it loads: a shorter wait needs no words. */
const LONG = 1000

/** The number of tints that initials have, which `--tint-1` to `--tint-6` name. */
const TINTS = 6

export const html = htm.bind(h)

/**
 * Draw a template into a new element, and return that and the function that ends it.
 *
 * @param {Children} template
 * @param {Element} [node]
 */
export function draw(template, node = document.createElement('div')) {
  render(template, node)
  return { node: /** @type {HTMLElement} */ (node), end: () => render(null, node) }
}

/**
 * Return a view of a template, for the router.
 *
 * @param {Children} template
 * @param {Omit<import('./router.js').View, 'node'>} view
 * @returns {import('./router.js').View}
 */
export function viewOf(template, { close, ...view }) {
  const { node, end } = draw(template)
  return { ...view, node, close: () => (close?.(), end()) }
}

/**
 * Return what a request returned: its `data`, which stay while another one is under way, or its `error`. A request whose
 * inputs change is aborted, and made again with those; `again` repeats it.
 *
 * @template Found
 * @param {(signal: AbortSignal) => Promise<Found>} load
 * @param {unknown[]} inputs
 */
export function useRequest(load, inputs) {
  const none = /** @type {Found | undefined} */ (undefined)
  const state = useSignal({ data: none, error: /** @type {unknown} */ (null), isUnderWay: true })
  const turn = useSignal(0)
  useEffect(() => {
    const ended = new AbortController()
    const settle = (/** @type {object} */ change) => {
      if (!ended.signal.aborted) state.value = { ...state.peek(), error: null, isUnderWay: false, ...change }
    }
    settle({ isUnderWay: true })
    load(ended.signal).then(
      (found) => settle({ data: found }),
      (error) => settle({ error }),
    )
    return () => ended.abort()
  }, [...inputs, turn.value])
  return { ...state.value, again: () => void turn.value++ }
}

/** @param {{name: string}} props */
export function Icon({ name }) {
  return html`
    <svg class="symbol" data-symbol=${name} viewBox="0 0 24 24" aria-hidden="true"><path d=${PATHS[name]} /></svg>`
}

/**
 * A button. A view has one that is `main`; `text` is for what is third, and `danger` for what deletes.
 *
 * @param {{kind?: '' | 'main' | 'text' | 'danger', icon?: string, children?: Children} & Record<string, unknown>} props
 */
export function Button({ kind = '', icon, children, ...more }) {
  return html`
    <button type="button" class=${kind} ...${more}>${icon && html`<${Icon} name=${icon} />`}${children}</button>`
}

/**
 * A button that shows only an icon; its label is read out, and shown under the pointer.
 *
 * @param {{icon: string, label: string} & Record<string, unknown>} props
 */
export function IconButton({ icon, label, ...more }) {
  return html`
    <button type="button" class="icon" aria-label=${label} title=${label} ...${more}><${Icon} name=${icon} /></button>`
}

/**
 * A button that asks for a file. `accept` names the kinds of files, as HTML does.
 *
 * @param {{accept: string, take: (file: File) => void, icon?: string, kind?: string, children: Children}} props
 */
export function FileButton({ accept, take, icon = 'upload', kind = '', children }) {
  const taken = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget: field }) => {
    const [file] = field.files ?? []
    field.value = ''
    if (file) take(file)
  }
  return html`
    <label class="button file-button ${kind}">
      <${Icon} name=${icon} />${children}<input type="file" class="unseen" accept=${accept} onchange=${taken} />
    </label>`
}

/** @param {{kind?: 'good' | 'bad' | 'wait' | '', children: Children}} props */
export function Mark({ kind = '', children }) {
  return html`<span class="mark ${kind}">${children}</span>`
}

/**
 * The difference that a movement made, in the colour of its direction.
 *
 * @param {{value: number, children: Children}} props
 */
export function Difference({ value, children }) {
  const direction = value > 0 ? 'put-in' : value < 0 ? 'take-out' : 'look-up'
  return html`<span class="difference" data-mode=${direction}>${children}</span>`
}

/**
 * The coloured initial of a name: the same for the same name, everywhere.
 *
 * @param {{name: string}} props
 */
export function Initial({ name }) {
  const letters = [...name.trim()]
  const sum = letters.reduce((total, letter) => (total * 31 + (letter.codePointAt(0) ?? 0)) % 9973, 7)
  const tint = (sum % TINTS) + 1
  return html`<span class="initial" data-tint=${tint} aria-hidden="true">${(letters[0] ?? '·').toUpperCase()}</span>`
}

/**
 * A field with its label. What is wrong with it, or else a hint, is below it.
 *
 * @param {{label: Children, value: Signal<string> | string, problem?: string, hint?: string, required?: boolean, field?: unknown} & Record<string, unknown>} props
 */
export function Field({ label, value, problem = '', hint = '', required = false, field, ...more }) {
  return html`
    <label class="field">
      <span>${label}${required && html`<span class="required" aria-hidden="true"> *</span>`}</span>
      <input
        ref=${field}
        value=${value}
        required=${required}
        aria-invalid=${problem ? 'true' : undefined}
        oninput=${setting(value)}
        ...${more}
      />
      ${problem && html`<span class="problem" role="alert">${problem}</span>`}
      ${!problem && hint && html`<span class="soft">${hint}</span>`}
    </label>`
}

/**
 * A list of values to choose from, with its label; `groups` come after the other options. `changed` is called after the
 * signal has the chosen value.
 *
 * @param {{label: Children, value: Signal<string> | string, options: [string, string][], groups?: [string, [string, string][]][], changed?: (value: string) => void} & Record<string, unknown>} props
 */
export function Select({ label, value, options, groups = [], changed, ...more }) {
  const chosen = value instanceof Signal ? value.value : value
  const option = (/** @type {[string, string]} */ [each, shown]) =>
    html`<option key=${each} value=${each} selected=${each === chosen}>${shown}</option>`
  return html`
    <label class="field">
      <span>${label}</span>
      <select value=${chosen} onchange=${setting(value, changed)} ...${more}>
        ${options.map(option)}
        ${groups.map(([name, some]) => html`<optgroup key=${name} label=${name}>${some.map(option)}</optgroup>`)}
      </select>
    </label>`
}

/**
 * Two to four values side by side, one of which is chosen. `icons` names the icon of a value.
 *
 * @param {{label: string, name: string, value: Signal<string> | string, options: [string, Children][], icons?: Record<string, string>, changed?: (value: string) => void}} props
 */
export function Segments({ label, name, value, options, icons = {}, changed }) {
  const chosen = value instanceof Signal ? value.value : value
  const set = setting(value, changed)
  return html`
    <fieldset class="segments">
      <legend class="unseen">${label}</legend>
      ${options.map(
        ([each, shown]) => html`
          <label key=${each}>
            <input type="radio" name=${name} value=${each} checked=${each === chosen} onchange=${set} />
            <span>${icons[each] && html`<${Icon} name=${icons[each]} />`}${shown}</span>
          </label>`,
      )}
    </fieldset>`
}

/**
 * A checkbox with its label.
 *
 * @param {{label: Children, value: Signal<boolean> | boolean, changed?: (value: boolean) => void} & Record<string, unknown>} props
 */
export function Check({ label, value, changed, ...more }) {
  const set = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget: { checked } }) => {
    if (value instanceof Signal) value.value = checked
    changed?.(checked)
  }
  return html`
    <label class="check">
      <input type="checkbox" checked=${value} onchange=${set} ...${more} />
      <span>${label}</span>
    </label>`
}

/**
 * A dialog, which is open as long as it is drawn. `closed` is called when a person closes it. Its form's last row stays in
 * sight.
 *
 * @param {{title: Children, closed: (event: Event) => void, children: Children} & Record<string, unknown>} props
 */
export function Dialog({ title, closed, children, ...more }) {
  const node = useRef(/** @type {HTMLDialogElement | null} */ (null))
  useLayoutEffect(() => {
    const dialog = node.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  const name = typeof title === 'string' ? title : undefined
  return html`<dialog ref=${node} aria-label=${name} onclose=${closed} ...${more}><h2>${title}</h2>${children}</dialog>`
}

/**
 * Show a dialog over any view until it is closed. `make` returns its template, and gets the function that closes it.
 *
 * @param {(close: () => void) => Children} make
 */
export function showDialog(make) {
  const place = document.createElement('div')
  const close = () => (render(null, place), place.remove())
  document.body.append(place)
  render(make(close), place)
  return close
}

/**
 * A question before something that cannot be undone. Its button names what happens.
 *
 * @param {{title: Children, action: string, confirmed: () => void, closed: () => void, children?: Children}} props
 */
export function Confirm({ title, action, confirmed, closed, children }) {
  const confirm = (/** @type {Event} */ event) => (event.preventDefault(), closed(), confirmed())
  return html`
    <${Dialog} title=${title} closed=${closed}>
      <form onsubmit=${confirm}>
        ${children}
        <div class="row apart">
          <${Button} kind="text" onclick=${closed}>${text('cancel')}<//>
          <button class="danger">${action}</button>
        </div>
      </form>
    <//>`
}

/** An element that is made elsewhere. @param {{node: Node}} props */
export function Placed({ node }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null))
  useLayoutEffect(() => place.current?.replaceChildren(node), [node])
  return html`<span class="placed" ref=${place} />`
}

/** Says that something loads, once that takes long. */
export function Loading() {
  const isLong = useSignal(false)
  useEffect(() => {
    const timer = setTimeout(() => (isLong.value = true), LONG)
    return () => clearTimeout(timer)
  }, [])
  return html`<p class="soft" role="status">${isLong.value && text('loading')}</p>`
}

/**
 * Shown instead of what could not be loaded: why, and a button that tries again. When the network is back, it tries again
 * by itself.
 *
 * @param {{error: unknown, again: () => void}} props
 */
export function Failure({ error, again }) {
  useEffect(() => {
    window.addEventListener('online', again)
    return () => window.removeEventListener('online', again)
  })
  return html`
    <div class="failure" role="alert">
      <p class="problem">${errorText(error)}</p>
      <${Button} onclick=${again}>${text('again')}<//>
    </div>`
}

/**
 * Return an error as a sentence for a person.
 *
 * @param {unknown} error
 */
export function errorText(error) {
  if (error instanceof Unreachable) return whyUnreachable(error, text('unreachable'))
  if (!(error instanceof Refusal)) return text('failed')
  return refusalText(error)
}

/**
 * Return the listener of a field that sets its signal, if it has one, and then calls `changed`.
 *
 * @param {Signal<string> | string} value
 * @param {(value: string) => void} [changed]
 */
function setting(value, changed) {
  return (/** @type {{currentTarget: HTMLInputElement | HTMLSelectElement}} */ { currentTarget }) => {
    if (value instanceof Signal) value.value = currentTarget.value
    changed?.(currentTarget.value)
  }
}
