/**
 * The camera on the page: a button, the picture and, if browsers allow no camera, a photo instead.
 *
 * Rule: the code reader is loaded when it is first needed, because most people scan without it.
 */

import { element, fill } from '../dom.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { symbol } from '../symbols.js'
import { needed } from '../version.js'

/** @typedef {(code: string, type: string) => void} Seen called with each code that counts, and its symbology */

/** Load the code reader; returns undefined if that fails. */
function reading() {
  return needed(import('./camera_reading.js')).catch(({ message }) => announce(message, 'bad'))
}

/** Whether this page may use the camera at all: browsers forbid it over plain HTTP. */
function hasCamera() {
  return window.isSecureContext && Boolean(navigator.mediaDevices?.getUserMedia)
}

/**
 * @param {Seen} seen
 * @param {AbortSignal} ended
 * @param {(message: string) => void} [failed] shows why a photo could not be read
 */
export function cameraPanel(seen, ended, failed = (message) => announce(message, 'bad')) {
  return { node: hasCamera() ? live(seen, ended) : photo(seen, failed) }
}

/**
 * @param {Seen} seen
 * @param {AbortSignal} ended
 */
function live(seen, ended) {
  /** @type {AbortController | null} */
  let watching = null
  const picture = element('div', { class: 'camera' })
  const button = element(
    'button',
    { type: 'button', class: 'camera-button', 'aria-pressed': 'false', onclick: () => void toggle() },
    symbol('camera'),
    text('camera'),
  )
  ended.addEventListener('abort', stop)

  function stop() {
    watching?.abort()
    watching = null
    button.setAttribute('aria-pressed', 'false')
    fill(picture)
  }

  async function toggle() {
    if (watching) return stop()
    const mine = (watching = new AbortController())
    button.setAttribute('aria-pressed', 'true')
    const loaded = await reading()
    const watches = !mine.signal.aborted && (await loaded?.watchIn(picture, seen, mine.signal))
    // the camera may be off by now, or on again
    if (!watches && watching === mine) stop()
  }
  return element('div', { class: 'camera-panel' }, picture, button)
}

/**
 * @param {Seen} seen
 * @param {(message: string) => void} failed
 */
function photo(seen, failed) {
  const field = element('input', {
    type: 'file',
    accept: 'image/*',
    capture: 'environment',
    class: 'unseen',
    onchange: () => void read(),
  })
  async function read() {
    const [file] = field.files ?? []
    field.value = ''
    if (file) await (await reading())?.readPhoto(file, seen, failed)
  }
  return element(
    'div',
    { class: 'camera-panel' },
    element('label', { class: 'button photo camera-button' }, symbol('camera'), text('camera'), field),
    element('p', { class: 'soft' }, text('camera.photo')),
  )
}
