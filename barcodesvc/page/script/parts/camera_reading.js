/** What the camera on the page does with what it sees: its picture, the choice among several codes in a photo, its failures. */

import { openDialog } from '../dialogs.js'
import { element, fill } from '../dom.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { codesOnPhoto, watch } from '../scanner/camera.js'
import { bad } from '../sounds.js'
import { reasonOf } from './failure.js'

/** Why there is no picture, by the names of the errors (Media Capture and Streams, 10.3.5). @type {Record<string, string>} */
const REASONS = { NotAllowedError: 'camera.forbidden', NotFoundError: 'camera.none', NotReadableError: 'camera.busy' }

/**
 * Show the camera until `signal` aborts; return whether there is a camera to show.
 *
 * @param {HTMLElement} picture
 * @param {(code: string) => void} seen
 * @param {AbortSignal} signal
 */
export async function watchIn(picture, seen, signal) {
  const video = element('video', { playsinline: true, muted: true, 'aria-label': text('camera.picture') })
  fill(picture, video)
  try {
    await watch(video, seen, (error) => announce(reasonOf(error), 'bad'), signal)
    return true
  } catch (error) {
    // switching the camera off while it starts is an error for the browser, but not for the user
    if (signal.aborted) return true
    const { name, message } = /** @type {Error} */ (error)
    announce(text(REASONS[name] ?? 'camera.refused', { why: message }), 'bad')
    return false
  }
}

/**
 * Read a photo. If it shows several codes, the user chooses one.
 *
 * @param {Blob} file
 * @param {(code: string) => void} seen
 * @param {(message: string) => void} failed
 */
export async function readPhoto(file, seen, failed) {
  try {
    const codes = await codesOnPhoto(file)
    if (openDialog()) return bad()
    const code = codes.length > 1 ? await chosen(codes) : codes[0]?.text
    if (code) seen(code)
    if (codes.length === 0) failed(text('refused.no_code_on_image'))
  } catch (error) {
    failed(reasonOf(error))
  }
}

/**
 * Ask which of several codes is meant; return its text, or an empty one.
 *
 * @param {import('../scanner/camera.js').SeenCode[]} codes
 * @returns {Promise<string>}
 */
function chosen(codes) {
  return new Promise((resolve) => {
    const title = text('camera.several')
    const dialog = element('dialog', {
      'aria-label': title,
      onclose: () => {
        dialog.remove()
        resolve(dialog.returnValue)
      },
    })
    const choices = codes.map(({ text: value, product }) =>
      element(
        'button',
        { type: 'button', onclick: () => dialog.close(value) },
        element('bdi', { class: 'code' }, value),
        product && element('bdi', null, product),
      ),
    )
    const cancel = element('button', { type: 'button', onclick: () => dialog.close('') }, text('cancel'))
    dialog.append(element('div', { class: 'view' }, element('h2', null, title), ...choices, cancel))
    document.body.append(dialog)
    dialog.showModal()
  })
}
