/**
 * The camera of a view: its picture, a button for it, and one for a photo, which is all that browsers allow over plain HTTP.
 *
 * Rule: what reads codes is loaded when it is first needed, because most people scan without it. One photo is read at a time:
 * a person who sees nothing happen on a slow network takes it again, and would book it twice. It counts only in the mode and
 * the view in which it was taken.
 */

import { text } from '../language.js'
import { announce } from '../in_front.js'
import { needed } from '../service.js'
import { bad } from '../sounds.js'
import { Button, FileButton, html, signal } from '../ui.js'

/** @typedef {ReturnType<typeof openCamera>} Camera */
/** @typedef {import('./types.js').Say} Say */

/** Say at the edge of the page what went wrong. @type {Say} */
const aside = (state, message) => {
  if (state !== 'bad' && state !== 'blind') return
  bad()
  announce(message, 'bad')
}

/** Return the camera of a view, which closes it. @param {import('./types.js').Seen} seen @param {Say} [say] */
export function openCamera(seen, say = aside) {
  const isOn = signal(false)
  const live = signal(/** @type {typeof import('./live.js') | null} */ (null))
  const photo = signal(/** @type {AbortController | null} */ (null))

  async function toggle() {
    isOn.value = !isOn.value
    const module = isOn.value && (await needed(import('./live.js')).catch(({ message }) => announce(message, 'bad')))
    if (module) live.value = module
    else isOn.value = false
  }

  /** @param {File} file */
  async function take(file) {
    const mine = (photo.value = new AbortController())
    say('looking', text('camera.reading'))
    await needed(import('./photo.js')).then(
      ({ readPhoto }) => readPhoto(file, mine.signal, seen, say),
      ({ message }) => say('bad', message),
    )
    if (photo.value === mine) photo.value = null
  }

  /** Read the current photo no further, and say so. */
  function drop(tell = say) {
    if (!photo.value) return
    photo.value.abort()
    photo.value = null
    tell('bad', text('camera.dropped'))
  }

  const close = () => ((isOn.value = false), drop(aside))
  return { seen, say, isOn, live, photo, toggle, take, drop, close }
}

/** @param {{camera: Camera}} props */
export function CameraPanel({ camera }) {
  const { isOn, live, toggle } = camera
  const photo = html`<${PhotoButton} camera=${camera} />`
  if (!window.isSecureContext || !navigator.mediaDevices?.getUserMedia) {
    return html`<div class="camera-panel">${photo}<p class="soft">${text('camera.photo.why')}</p></div>`
  }
  return html`
    <div class="camera-panel">
      ${isOn.value && live.value && html`<div class="camera"><${live.value.LiveCamera} camera=${camera} /></div>`}
      <div class="camera-buttons">
        <${Button} kind="camera-button" icon="camera" aria-pressed=${String(isOn.value)} onclick=${toggle}><span>${text('camera')}</span><//>
        ${photo}
      </div>
    </div>`
}

/** The device may need its camera for a photo. @param {{camera: Camera}} props */
function PhotoButton({ camera: { photo, isOn, take } }) {
  return html`
    <${FileButton} kind="photo camera-button" icon="photo" accept="image/*" capture="environment" take=${take}
      disabled=${photo.value !== null} onclick=${() => (isOn.value = false)}>
      <span>${text(photo.value ? 'camera.reading' : 'camera.photo')}</span>
    <//>`
}
