/**
 * Reads a photo through the service: what is said meanwhile, the choice among several codes, its failures.
 *
 * Rule: one photo is read at a time, and no other is taken meanwhile. Reading takes seconds on a slow network: a person who
 * sees nothing happen takes the photo again, and would book it twice.
 */

import { openDialog } from '../dialogs.js'
import { element } from '../dom.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { codesOnPhoto } from '../scanner/photo.js'
import { bad } from '../sounds.js'
import { errorText } from './failure.js'

/** @typedef {import('./camera_panel.js').Seen} Seen */
/** @typedef {import('./camera_panel.js').Say} Say */

/** Say at the edge of the page what went wrong: the view shows nothing of it. @type {Say} */
const aside = (state, message) => {
  if (state !== 'bad') return
  bad()
  announce(message, 'bad')
}

/**
 * Read a photo. If it shows several codes, the user chooses one.
 *
 * @param {Blob} file
 * @param {HTMLElement} button which takes photos
 * @param {Seen} seen
 * @param {Say} [say]
 */
export async function readPhoto(file, button, seen, say = aside) {
  say('looking', text('camera.reading'))
  show(button, true)
  try {
    const codes = await codesOnPhoto(file)
    if (openDialog()) return bad()
    const code = codes.length > 1 ? await chosen(codes) : codes[0]
    if (code) seen(code.text, code.type)
    else if (codes.length) say('ready', text('scan.ready'))
    else say('bad', text('refused.no_code_on_image'))
  } catch (error) {
    say('bad', errorText(error))
  } finally {
    show(button, false)
  }
}

/**
 * Show on the button for photos whether one is read, so that it takes no other.
 *
 * @param {HTMLElement} button
 * @param {boolean} isReading
 */
function show(button, isReading) {
  for (const field of button.querySelectorAll('input')) field.disabled = isReading
  for (const name of button.querySelectorAll('span'))
    name.textContent = text(isReading ? 'camera.reading' : 'camera.photo')
}

/**
 * Ask which of several codes is meant; return it, or undefined.
 *
 * @param {import('../scanner/photo.js').PhotoCode[]} codes
 * @returns {Promise<import('../scanner/photo.js').PhotoCode | undefined>}
 */
function chosen(codes) {
  return new Promise((resolve) => {
    const title = text('camera.several')
    const dialog = element('dialog', {
      'aria-label': title,
      onclose: () => {
        dialog.remove()
        resolve(codes.find((code) => code.text === dialog.returnValue))
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
    dialog.append(element('div', { class: 'stack' }, element('h2', null, title), ...choices, cancel))
    document.body.append(dialog)
    dialog.showModal()
  })
}
