/**
 * What is in front of the view: dialogs, and short messages, which screen readers read out. While a dialog is open the
 * messages are in it: what lies behind it is neither seen nor read.
 *
 * Rule: no scan reaches the view behind a dialog. Its field for codes gets it, or it is rejected; only the dialog for the key
 * passes scans on to be kept. A dialog closes with its view; one with `data-stays` belongs to all views. An error goes with
 * the view that made it.
 */

import { text } from './language.js'
import { fillByScan } from './scanner/listener.js'
import { bad } from './sounds.js'
import { Button, draw, Field, html, IconButton, signal, useEffect, useLayoutEffect, useRef, useSignal } from './ui.js'

/** @typedef {import('./types.js').Children} Children */
/** @typedef {{name: string, press: () => void}} Offer a button of a message */
/** @typedef {{message: string, kind: 'good' | 'wait' | 'bad', offer: Offer | undefined, remove: () => void}} Notice */

/** How long a message stays, in milliseconds: an error until it is touched or its view left, or as long after a success. */
const STAYS = 6000

/** Most messages at a time; the oldest is removed first. */
const MOST = 4

const dialogs = signal(/** @type {readonly HTMLDialogElement[]} */ ([]))
const notices = signal(/** @type {readonly Notice[]} */ ([]))

/** Return the dialog in front of the view, or undefined. */
export const openDialog = () => dialogs.peek().at(-1)

/** Close the dialogs of the view that is left. */
export function closeDialogs() {
  for (const dialog of dialogs.peek()) if (!('stays' in dialog.dataset)) dialog.close()
}

/**
 * Pass a scan to the open dialog; return whether there is one. `keep` stores a booking of the scan, to be sent later, and
 * returns whether it did.
 *
 * @param {string} code
 * @param {() => boolean} keep
 */
export function takenByDialog(code, keep) {
  const dialog = openDialog()
  if (!dialog) return false
  /** @type {HTMLInputElement | null} */
  const field = dialog.querySelector('input[data-takes-scans]')
  if (field) fillByScan(field, code)
  else if (dialog.dispatchEvent(new CustomEvent('scan', { cancelable: true, detail: { code, keep } }))) {
    bad()
    announce(text('scan.rejected', { code }), 'wait')
  }
  return true
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
    const dialog = /** @type {HTMLDialogElement} */ (node.current)
    dialog.showModal()
    dialogs.value = [...dialogs.peek(), dialog]
    return () => {
      dialogs.value = dialogs.peek().filter((each) => each !== dialog)
      dialog.close()
    }
  }, [])
  return html`
    <dialog ref=${node} aria-label=${typeof title === 'string' ? title : undefined} onclose=${closed} ...${more}>
      <${Notices} dialog=${node} />
      <h2>${title}</h2>
      ${children}
    </dialog>`
}

/** Show a dialog over any view until it is closed. `make` returns its template, and gets the function that closes it. @param {(close: () => void) => Children} make */
export function showDialog(make) {
  const place = document.body.appendChild(document.createElement('div'))
  const close = () => (end(), place.remove())
  const { end } = draw(make(close), place)
  return close
}

/**
 * A question before something that cannot be undone. Its button names what happens. A `phrase` has to be typed first; it is null
 * until that is known.
 *
 * @param {{title: Children, action: string, phrase?: string | null, confirmed: () => void, closed: () => void, children?: Children}} props
 */
export function Confirm({ title, action, phrase = '', confirmed, closed, children }) {
  const typed = useSignal('')
  const plain = (/** @type {string} */ words) => words.trim().replace(/\s+/g, ' ').toLowerCase()
  const confirm = (/** @type {Event} */ event) => (event.preventDefault(), closed(), confirmed())
  return html`
    <${Dialog} title=${title} closed=${closed}>
      <form onsubmit=${confirm}>
        ${children}
        ${phrase && html`<${Field} label=${text('confirm.type', { phrase })} value=${typed} type="text" autocomplete="off" />`}
        <div class="row apart">
          <${Button} kind="text" onclick=${closed}>${text('cancel')}<//>
          <button class="danger" disabled=${phrase === null || plain(typed.value) !== plain(phrase)}>${action}</button>
        </div>
      </form>
    <//>`
}

/** Show a message. @param {string} message @param {Notice['kind']} [kind] */
export function announce(message, kind) {
  notice(message, kind)
}

/**
 * Show a message, and return it. One that is shown already is shown anew, but a button does not go from under a finger.
 *
 * @param {string} message
 * @param {Notice['kind']} [kind]
 * @param {Offer} [offer]
 */
export function notice(message, kind = 'good', offer) {
  const same = notices.peek().find((each) => each.message === message)
  if (same?.offer) return same
  /** @type {Notice} */
  const made = { message, kind, offer, remove: () => remove([made]) }
  notices.value = [...notices.peek().filter((each) => each !== same), made].slice(-MOST)
  if (kind !== 'bad') expire()
  return made
}

/** Return a function that removes the errors that are shown now: those of a view that is about to be left. */
export function errorsSoFar() {
  const errors = notices.peek().filter(({ kind, offer }) => kind === 'bad' && !offer)
  return () => remove(errors)
}

/** Remove the messages so far, some time after a success. */
export function expire() {
  const shown = notices.peek().filter(({ offer }) => !offer)
  setTimeout(() => remove(shown), STAYS)
}

/** @param {Notice[]} some */
function remove(some) {
  notices.value = notices.peek().filter((each) => !some.includes(each))
}

/**
 * The messages, in the dialog in front, or at the edge of the page. The styles learn how much room they take there, so that
 * all else scrolls clear of them.
 *
 * @param {{dialog?: {current: HTMLDialogElement | null}}} props
 */
export function Notices({ dialog }) {
  const node = useRef(/** @type {HTMLElement | null} */ (null))
  const isInFront = dialogs.value.at(-1) === dialog?.current
  useEffect(() => {
    if (dialog || !node.current) return undefined
    const { current } = node
    const room = () => document.documentElement.style.setProperty('--notices', `${current.offsetHeight}px`)
    const observer = new ResizeObserver(room)
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return html`
    <div class="notices" role="status" aria-live="polite" ref=${node}>
      ${isInFront && notices.value.map((each) => html`<${Message} key=${each} ...${each} />`)}
    </div>`
}

/** @param {Notice} props */
function Message({ message, kind, offer, remove: close }) {
  return html`
    <div class="notice ${kind}">
      <span>${message}</span>
      ${offer && html`<button type="button" class="main" onclick=${offer.press}>${offer.name}</button>`}
      <${IconButton} icon="bad" label=${text('close')} onclick=${close} />
    </div>`
}
