/**
 * What every view is made of: components, and how they are drawn. docs/architecture.md says how they go together.
 *
 * Rule: a component is a function of its properties and of signals, which returns a template (Preact, htm). This module
 * alone knows the library. A field takes a signal as its `value`, and sets it as a person types.
 */

import { batch, computed, effect, Fragment, h, htm, render, Signal, signal } from '../library/preact.js'
import { useEffect, useLayoutEffect, useMemo, useRef } from '../library/preact.js'
import { useSignal, useSignalEffect } from '../library/preact.js'
import { NotLoaded, Refusal, Unreachable } from './api.js'
import { text } from './language.js'
import { settings } from './settings.js'

export { batch, computed, effect, Fragment, signal }
export { useEffect, useLayoutEffect, useMemo, useRef, useSignal, useSignalEffect }

/** @typedef {import('./types.js').Children} Children */

/** Milliseconds after which a view says that it loads: a shorter wait needs no words. */
const LONG = 1000

/** The hues of initials. */
const HUES = [214, 146, 33, 263, 352, 186]

/** Icons, in a square of 24 units. @type {Record<string, string>} */
const ICONS = {
  scan: 'M4 8V5a1 1 0 0 1 1-1h3M16 4h3a1 1 0 0 1 1 1v3M20 16v3a1 1 0 0 1-1 1h-3M8 20H5a1 1 0 0 1-1-1v-3M8 8v8M11 8v8M14 8v5M16.5 8v8',
  labels: 'M4 12V5a1 1 0 0 1 1-1h7l8 8-8 8zM8.5 8.5h.01',
  products: 'M12 3.5l8 4.25v8.5l-8 4.25-8-4.25v-8.5zM4 7.75l8 4.25 8-4.25M12 12v8.5',
  stock: 'M4 20h16M6.5 20v-7M12 20V5M17.5 20v-10',
  settings: 'M5 7h8M17 7h2M5 12h2M11 12h8M5 17h8M17 17h2M15 5v4M9 10v4M15 15v4',
  camera: 'M4 8h3l2-3h6l2 3h3v11H4zM12 10a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7',
  photo: 'M4 5h16v14H4zM4 16l5-5 4 4 2-2 5 5M15.5 9h.01',
  person: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4.5 20.5c.5-4 3.5-6 7.5-6s7 2 7.5 6',
  phone: 'M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1M11 18h2',
  undo: 'M8 5L4 9l4 4M4 9h10a6 6 0 0 1 0 12h-3',
  print: 'M7 9V3.5h10V9M7 17H4V9h16v8h-3M7 14h10v6.5H7z',
  'put-in': 'M12 3v10M7.5 8.5L12 13l4.5-4.5M4 12v8h16v-8M12 15v3M10.5 16.5h3',
  'take-out': 'M12 13V3M7.5 7.5L12 3l4.5 4.5M4 12v8h16v-8M10 16.5h4',
  set: 'M5 9h14M5 15h14',
  'look-up': 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M16 16l4.5 4.5',
  buy: 'M3 4h2.5l2.2 11.5h9.6L20 7.5H6.3M9.5 20h.01M16 20h.01',
  minus: 'M5 12h14',
  add: 'M12 5v14M5 12h14',
  upload: 'M12 16V4M7.5 8.5L12 4l4.5 4.5M4 16v4h16v-4',
  download: 'M12 4v12M7.5 11.5L12 16l4.5-4.5M4 18v2h16v-2',
  online: 'M4 9.5a11.5 11.5 0 0 1 16 0M7 13a7 7 0 0 1 10 0M12 17.5h.01',
  offline: 'M4 4l16 16M4 9.5a11.5 11.5 0 0 1 4.5-2.8M12 6.3a11.5 11.5 0 0 1 8 3.2M7 13a7 7 0 0 1 4.5-2M12 17.5h.01',
  again: 'M19 12a7 7 0 1 1-2.1-5M19 4v5h-5',
  back: 'M14.5 5l-7 7 7 7',
  forward: 'M9.5 5l7 7-7 7',
  good: 'M5 12.5l4.5 4.5L19 7.5',
  waiting: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 8v4.5l3 2',
  bad: 'M6 6l12 12M18 6L6 18',
}

export const html = htm.bind(h)

/** Draw a template into a new element, and return that and the function that ends it. @param {Children} template @param {Element} [node] */
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
    <svg class="symbol" data-symbol=${name} viewBox="0 0 24 24" aria-hidden="true"><path d=${ICONS[name]} /></svg>`
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

/** A button that shows only an icon; its label is read out, and shown under the pointer. @param {{icon: string, label: string} & Record<string, unknown>} props */
export function IconButton({ icon, label, ...more }) {
  return html`
    <button type="button" class="icon" aria-label=${label} title=${label} ...${more}><${Icon} name=${icon} /></button>`
}

/**
 * A button that asks for a file. `accept` names the kinds of files, as HTML does.
 *
 * @param {{accept: string, take: (file: File) => void, icon?: string, kind?: string, children: Children} & Record<string, unknown>} props
 */
export function FileButton({ accept, take, icon = 'upload', kind = '', children, ...more }) {
  const taken = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget: field }) => {
    const [file] = field.files ?? []
    field.value = ''
    if (file) take(file)
  }
  return html`
    <label class="button file-button ${kind}">
      <${Icon} name=${icon} />${children}<input type="file" class="unseen" accept=${accept} onchange=${taken} ...${more} />
    </label>`
}

/** @param {{kind?: 'good' | 'bad' | 'wait' | '', children: Children}} props */
export function Mark({ kind = '', children }) {
  return html`<span class="mark ${kind}">${children}</span>`
}

/** The difference that a movement made, in the colour of its direction. @param {{value: number, children: Children}} props */
export function Difference({ value, children }) {
  const direction = value > 0 ? 'put-in' : value < 0 ? 'take-out' : 'look-up'
  return html`<span class="difference" data-mode=${direction}>${children}</span>`
}

/** The coloured initial of a name: the same for the same name, everywhere. @param {{name: string}} props */
export function Initial({ name }) {
  const letters = [...name.trim()]
  const sum = letters.reduce((total, letter) => (total * 31 + (letter.codePointAt(0) ?? 0)) % 9973, 7)
  const style = { '--hue': HUES[sum % HUES.length] }
  return html`<span class="initial" style=${style} aria-hidden="true">${(letters[0] ?? '·').toUpperCase()}</span>`
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

/** A checkbox with its label. @param {{label: Children, value: Signal<boolean> | boolean, changed?: (value: boolean) => void} & Record<string, unknown>} props */
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

/** The shop's name and logo, or else those of the web app: on the line on top, on lists, in the kiosk. @param {{children?: Children}} props */
export function ShopSign({ children }) {
  return html`<span class="shop-sign"><${Logo} /><bdi>${settings.shopName.value || 'barcodesvc'}</bdi>${children}</span>`
}

/** The policy of the page allows pictures of this address, and not from data URLs. */
function Logo() {
  const logo = settings.logo.value
  const address = useMemo(() => addressOf(logo), [logo])
  useEffect(() => () => URL.revokeObjectURL(address), [address])
  if (address) return html`<img src=${address} alt="" />`
  return html`
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" /><path d="M7 23V13h2v10zM11 23V8h4v15zM17 23v-8h2v8zM21 23V6h4v17zM6 25h20v1.5H6z" />
    </svg>`
}

/** Return the address of a picture, a data URL, for this page; empty if there is none, or if it is damaged. @param {string} logo */
function addressOf(logo) {
  try {
    const [, type = '', content = ''] = /^data:(image\/\w+);base64,(.+)$/.exec(logo) ?? []
    const bytes = Uint8Array.from(atob(content), (byte) => byte.charCodeAt(0))
    return content && URL.createObjectURL(new Blob([bytes], { type }))
  } catch {
    return ''
  }
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
  useLayoutEffect(() => {
    window.addEventListener('online', again)
    return () => window.removeEventListener('online', again)
  })
  return html`
    <div class="failure" role="alert">
      <p class="problem">${errorText(error)}</p>
      <${Button} onclick=${again}>${text('again')}<//>
    </div>`
}

/** Return an error as a sentence for a person. @param {unknown} error */
export function errorText(error) {
  if (error instanceof NotLoaded) return error.message
  if (error instanceof Unreachable) return text('unreachable')
  return error instanceof Refusal ? refusalText(error) : text('failed')
}

/**
 * Return the text of a refusal: `refused.` and its `details.reason`, and what it was that was not found, if it was no
 * product; and whose a code is. The service's message is for programs, and in English. `delta` is what was asked for, if a
 * level was to change.
 *
 * @param {{code: string, details?: any, retryAfter?: number}} problem
 * @param {number | null} [delta]
 */
export function refusalText({ code, details, retryAfter = 0 }, delta = null) {
  const { reason, resource = '', name = '', current_level: level = 0, owner, pack_quantity: pack = 1 } = details ?? {}
  const isOther = reason === 'not_found' && code !== 'PRODUCT_NOT_FOUND'
  const isOfAmount = reason === 'level_out_of_range' && delta !== null && delta < 0
  const count = reason === 'rate_limited' ? { count: Math.ceil(retryAfter / 60) || 1 } : {}
  const values = { name, level, amount: Math.abs(delta ?? 0) * pack, product: owner?.description, ...count }
  return text(`refused.${reason}${isOther ? `.${resource}` : isOfAmount || owner ? '.of' : ''}`, values, text('failed'))
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
