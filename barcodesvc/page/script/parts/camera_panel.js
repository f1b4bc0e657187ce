/** The camera on the page: a button, the picture, and where browsers allow no camera, a photo in its place. */

import { codesOn, hasCamera, watch } from '../scanner/camera.js'
import { element, fill } from '../dom.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { symbol } from '../symbols.js'

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
    watching = new AbortController()
    button.setAttribute('aria-pressed', 'true')
    const video = element('video', { playsinline: true, muted: true, 'aria-label': text('camera.picture') })
    fill(picture, video)
    try {
      await watch(video, seen, watching.signal)
    } catch (error) {
      stop()
      announce(text('camera.refused', { why: String(/** @type {Error} */ (error).message) }), 'bad')
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
    const codes = await codesOn(file).catch((error) => announce(error.message, 'bad'))
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
