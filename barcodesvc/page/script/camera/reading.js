/** What the camera on the page does with what it sees: its picture, and its failures. */

import { element, fill } from '../dom.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { cameras, chooseCamera, showCamera, torchOf } from './camera.js'
import { watch } from './watching.js'
import { keepScreenOn } from '../wake_lock.js'
import { codeOutlines } from './code_outlines.js'
import { unreachableText } from '../failure.js'
import { aside } from './photo_reading.js'

/** @typedef {import('./panel.js').Seen} Seen */
/** @typedef {import('./panel.js').Say} Say */

/** Why there is no picture, by the names of the errors (Media Capture and Streams, 10.3.5). @type {Record<string, string>} */
const REASONS = { NotAllowedError: 'camera.forbidden', NotFoundError: 'camera.none', NotReadableError: 'camera.busy' }

/**
 * Show the camera until `signal` aborts; return whether there is a camera to show.
 *
 * @param {HTMLElement} picture
 * @param {Seen} seen
 * @param {AbortSignal} signal
 * @param {Say} [say]
 */
export async function watchIn(picture, seen, signal, say = aside) {
  const video = element('video', { playsinline: true, muted: true, 'aria-label': text('camera.picture') })
  const tools = element('div', { class: 'row camera-tools' })
  const outlines = codeOutlines(video)
  fill(picture, video, outlines.node, tools)
  try {
    await begin(video, tools, signal)
  } catch (error) {
    // switching the camera off while it starts is an error for the browser, but not for the user
    if (signal.aborted) return true
    const { name, message } = /** @type {Error} */ (error)
    announce(text(REASONS[name] ?? 'camera.refused', { why: message }), 'bad')
    return false
  }
  keepScreenOn(signal)
  const again = element('button', { type: 'button', class: 'again' }, text('camera.again'))
  const watcher = {
    seen(/** @type {{text: string, type: string}} */ code) {
      again.onclick = () => seen(code.text, code.type)
      if (!again.isConnected) tools.prepend(again)
      seen(code.text, code.type)
    },
    shown: outlines.show,
    failed: (/** @type {unknown} */ error) => say('blind', unreachableText(error, 'camera.blind')),
    recovered: () => say('ready', text('scan.ready')),
  }
  void watch(video, watcher, signal)
  return true
}

/**
 * Start the camera, with its tools; another one that is chosen replaces it.
 *
 * @param {HTMLVideoElement} video
 * @param {HTMLElement} tools
 * @param {AbortSignal} signal
 */
async function begin(video, tools, signal) {
  const replaced = new AbortController()
  signal.addEventListener('abort', () => replaced.abort(), { signal: replaced.signal })
  const track = await showCamera(video, replaced.signal)
  const restart = (/** @type {string} */ deviceId) => {
    chooseCamera(deviceId)
    replaced.abort()
    for (const tool of tools.querySelectorAll('.of-camera')) tool.remove()
    begin(video, tools, signal).catch((error) => announce(text('camera.refused', { why: error.message }), 'bad'))
  }
  const choice = cameraChoice(await cameras(), track, restart)
  tools.append(...[torchButton(track), choice].filter((tool) => tool !== null))
}

/** @param {MediaStreamTrack} track */
function torchButton(track) {
  const torch = torchOf(track)
  if (!torch) return null
  const button = element(
    'button',
    { type: 'button', class: 'of-camera', 'aria-pressed': 'false', onclick: () => void toggle() },
    text('camera.torch'),
  )
  const toggle = async () => {
    const isOn = button.getAttribute('aria-pressed') === 'false'
    const isDone = await torch?.(isOn).then(
      () => true,
      () => false,
    )
    if (isDone) button.setAttribute('aria-pressed', String(isOn))
  }
  return button
}

/**
 * @param {MediaDeviceInfo[]} all
 * @param {MediaStreamTrack} track
 * @param {(deviceId: string) => void} choose
 */
function cameraChoice(all, track, choose) {
  if (all.length < 2) return null
  const options = all.map(({ deviceId, label }) => element('option', { value: deviceId }, label))
  const field = element('select', {
    class: 'of-camera',
    'aria-label': text('camera'),
    onchange: () => choose(field.value),
  })
  field.append(...options)
  field.value = track.getSettings().deviceId ?? ''
  return field
}
