/**
 * The camera on the page: a button, the picture, and where browsers allow no camera, a photo in its place.
 *
 * Rule: what reads codes is loaded when somebody presses the button, for most scan without it.
 */

import { element, fill } from '../dom.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { symbol } from '../symbols.js'

/** Why there is no picture, by the names of the errors (Media Capture and Streams, 10.3.5). @type {Record<string, string>} */
const REASONS = { NotAllowedError: 'camera.forbidden', NotFoundError: 'camera.none', NotReadableError: 'camera.busy' }

/** Load what reads codes, and what words its failures. */
async function reading() {
  const [camera, failure] = await Promise.all([import('../scanner/camera.js'), import('./failure.js')])
  return { ...camera, ...failure }
}

/** Whether this page may use the camera at all: by plain HTTP browsers do not let it. */
function hasCamera() {
  return window.isSecureContext && Boolean(navigator.mediaDevices?.getUserMedia)
}

/**
 * @param {(code: string) => void} seen
 * @param {AbortSignal} ended
 */
export function cameraPanel(seen, ended) {
  return { node: hasCamera() ? live(seen, ended) : photo(seen) }
}

/**
 * @param {(code: string) => void} seen
 * @param {AbortSignal} ended
 */
function live(seen, ended) {
  /** @type {AbortController | null} */
  let watching = null
  const picture = element('div', { class: 'camera' })
  const button = element(
    'button',
    { type: 'button', 'aria-pressed': 'false', onclick: () => void toggle() },
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
    const { signal } = (watching = new AbortController())
    button.setAttribute('aria-pressed', 'true')
    const video = element('video', { playsinline: true, muted: true, 'aria-label': text('camera.picture') })
    fill(picture, video)
    try {
      const { watch, reasonOf } = await reading()
      await watch(video, seen, (error) => announce(reasonOf(error), 'bad'), signal)
    } catch (error) {
      stop()
      const { name, message } = /** @type {Error} */ (error)
      announce(text(REASONS[name] ?? 'camera.refused', { why: message }), 'bad')
    }
  }
  return element('div', { class: 'view' }, element('div', { class: 'row' }, button), picture)
}

/** @param {(code: string) => void} seen */
function photo(seen) {
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
    if (!file) return
    const loaded = await reading().catch(() => announce(text('unreachable'), 'bad'))
    if (!loaded) return
    const codes = await loaded.codesOnPhoto(file).catch((error) => announce(loaded.reasonOf(error), 'bad'))
    if (codes?.length) codes.forEach(seen)
    else if (codes) announce(text('camera.nothing'), 'bad')
  }
  return element(
    'div',
    { class: 'view' },
    element('label', { class: 'button photo' }, symbol('camera'), text('camera'), field),
    element('p', { class: 'soft' }, text('camera.photo')),
  )
}
