/**
 * The camera on the page: its picture, a button for it, and one for a photo, which is all that browsers allow over plain
 * HTTP.
 *
 * Rule: the code reader is loaded when it is first needed, because most people scan without it.
 */

import { element, fill, symbol } from '../dom.js'
import { text } from '../language.js'
import { announce } from '../in_front.js'
import { needed } from '../service.js'

/** @typedef {(code: string, type: string) => void} Seen called with each code that counts, and its symbology */
/** @typedef {(state: 'looking' | 'bad' | 'blind' | 'ready', message: string) => void} Say shows all but codes; a camera is blind */

/** Return what reads codes; undefined if it does not load. @template Module @param {Promise<Module>} module */
function reading(module) {
  return needed(module).catch(({ message }) => announce(message, 'bad'))
}

/** Whether this page may use the camera at all: browsers forbid it over plain HTTP. */
function hasCamera() {
  return window.isSecureContext && Boolean(navigator.mediaDevices?.getUserMedia)
}

/** @param {Seen} seen @param {AbortSignal} ended @param {Say} [say] */
export function cameraPanel(seen, ended, say) {
  const live = hasCamera() ? liveCamera(seen, ended, say) : null
  const photo = photoButton(seen, ended, say, () => live?.stop())
  const node = element('div', { class: 'camera-panel' })
  if (live) node.append(live.picture, element('div', { class: 'camera-buttons' }, live.button, photo))
  else node.append(photo, element('p', { class: 'soft' }, text('camera.photo.why')))
  return { node }
}

/** @param {Seen} seen @param {AbortSignal} ended @param {Say} [say] */
function liveCamera(seen, ended, say) {
  /** @type {AbortController | null} */
  let watching = null
  let end = () => {}
  const picture = element('div', { class: 'camera' })
  const button = element(
    'button',
    { type: 'button', class: 'camera-button', 'aria-pressed': 'false', onclick: () => void toggle() },
    symbol('camera'),
    element('span', null, text('camera')),
  )
  ended.addEventListener('abort', stop)

  function stop() {
    watching?.abort()
    watching = null
    button.setAttribute('aria-pressed', 'false')
    end()
    fill(picture)
  }

  async function toggle() {
    if (watching) return stop()
    const mine = (watching = new AbortController())
    button.setAttribute('aria-pressed', 'true')
    const loaded = await reading(import('./live.js'))
    if (watching !== mine) return // it is off by now, or on again
    if (loaded) end = loaded.drawLiveCamera({ seen, ...(say ? { say } : {}), failed: stop }, picture)
    else stop()
  }
  return { picture, button, stop }
}

/**
 * @param {Seen} seen @param {AbortSignal} ended @param {Say | undefined} say
 * @param {() => void} begun called before a photo is taken: the device may need its camera for that
 */
function photoButton(seen, ended, say, begun) {
  const field = element('input', {
    type: 'file',
    accept: 'image/*',
    capture: 'environment',
    class: 'unseen',
    onclick: begun,
    onchange: () => void read(),
  })
  async function read() {
    const [file] = field.files ?? []
    field.value = ''
    if (file) await (await reading(import('./photo_reading.js')))?.readPhoto(file, node, seen, ended, say)
  }
  const name = element('span', null, text('camera.photo'))
  const node = element('label', { class: 'button photo camera-button' }, symbol('photo'), name, field)
  return node
}
