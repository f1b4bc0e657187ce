/**
 * Reads a photo through the service: what is said meanwhile, the choice among several codes, its failures.
 *
 * Rule: one photo is read at a time, and no other is taken meanwhile. Reading takes seconds on a slow network: a person who
 * sees nothing happen takes the photo again, and would book it twice. A photo counts only in the mode and the view in which
 * it was taken: one that is still being read when they are left is dropped, and the page says so.
 */

import { Unreachable } from '../api.js'
import { announce, Dialog, openDialog, showDialog } from '../in_front.js'
import { text } from '../language.js'
import { codesOnPhoto } from './photo.js'
import { bad } from '../sounds.js'
import { Button, errorText, html } from '../ui.js'

/** @typedef {import('./panel.js').Seen} Seen */
/** @typedef {import('./panel.js').Say} Say */

/** Ends the reading of the photo that is being read. @type {AbortController | null} */
let reading = null

/** Say at the edge of the page what went wrong: the view shows nothing of it. @type {Say} */
export const aside = (state, message) => {
  if (state !== 'bad' && state !== 'blind') return
  bad()
  announce(message, 'bad')
}

/** Say what went wrong in a view that has been left. @type {Say} */
const behind = (_, message) => {
  bad()
  announce(message, 'wait')
}

/**
 * Read a photo. If it shows several codes, the user chooses one.
 * @param {Blob} file @param {HTMLElement} button which takes photos @param {Seen} seen
 * @param {AbortSignal} ended when the view is left @param {Say} [say]
 */
export async function readPhoto(file, button, seen, ended, say = aside) {
  if (reading) return
  const mine = (reading = new AbortController())
  const { signal } = mine
  signal.addEventListener('abort', () => show(button, false))
  ended.addEventListener('abort', () => dropPhoto(behind), { signal })
  say('looking', text('camera.reading'))
  show(button, true)
  if (ended.aborted) dropPhoto(behind)
  try {
    const codes = await codesOnPhoto(file, signal)
    if (signal.aborted) return
    if (openDialog()) return dropPhoto(say)
    const code = codes.length > 1 ? await chosen(codes, signal) : codes[0]
    if (signal.aborted) return
    if (code) seen(code.text, code.type)
    else if (codes.length) say('ready', text('scan.ready'))
    else say('bad', text('refused.no_code_on_image'))
  } catch (error) {
    if (!signal.aborted)
      say('bad', error instanceof Unreachable ? `${errorText(error)} ${text('camera.unread')}` : errorText(error))
  } finally {
    if (reading === mine) end()
  }
}

/** Read the current photo no further, and say so. @param {Say} say */
export function dropPhoto(say) {
  if (!reading) return
  end()
  say('bad', text('camera.dropped'))
}

function end() {
  reading?.abort()
  reading = null
}

/**
 * Show on the button for photos whether one is read, so that it takes no other. Both names are short: it keeps its height.
 * @param {HTMLElement} button @param {boolean} isReading
 */
function show(button, isReading) {
  for (const field of button.querySelectorAll('input')) field.disabled = isReading
  for (const name of button.querySelectorAll('span'))
    name.textContent = text(isReading ? 'camera.photo.busy' : 'camera.photo')
}

/**
 * Ask which of several codes is meant; return it, or undefined.
 * @param {import('./photo.js').PhotoCode[]} codes @param {AbortSignal} signal closes the question
 * @returns {Promise<import('./photo.js').PhotoCode | undefined>}
 */
function chosen(codes, signal) {
  return new Promise((resolve) => {
    const close = showDialog(() => {
      const choose = (/** @type {import('./photo.js').PhotoCode} */ code) => () => (resolve(code), close())
      const cancel = () => (resolve(undefined), close())
      return html`<${Choice} codes=${codes} choose=${choose} cancel=${cancel} />`
    })
    signal.addEventListener('abort', () => (resolve(undefined), close()))
  })
}

/** @param {{codes: import('./photo.js').PhotoCode[], choose: (code: import('./photo.js').PhotoCode) => () => void, cancel: () => void}} props */
function Choice({ codes, choose, cancel }) {
  return html`
    <${Dialog} title=${text('camera.several')} closed=${cancel} data-stays>
      <div class="stack">
        ${codes.map(
          (code) => html`
            <button type="button" class="found-code" onclick=${choose(code)}>
              ${code.product && html`<bdi>${code.product}</bdi>`}
              <bdi class="code">${code.label}</bdi>
            </button>`,
        )}
        <${Button} kind="text" onclick=${cancel}>${text('cancel')}<//>
      </div>
    <//>`
}
