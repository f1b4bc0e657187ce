/**
 * The live picture of the camera, the codes in it, and its tools: count again, flashlight, another camera.
 *
 * Rule: the camera that a person has chosen is used again once it has worked; one that does not start gives way to the one
 * on the back. The outlines cover the picture in the same way as the video, so they are in pixels of the video.
 */

import { Unreachable } from '../api.js'
import { text } from '../language.js'
import { announce } from '../in_front.js'
import { Button, draw, errorText, html, useEffect, useRef, useSignal } from '../ui.js'
import { keepScreenOn } from '../while_visible.js'
import { cameras, keepCamera, showCamera, torchOf } from './camera.js'
import { aside } from './photo_reading.js'
import { watch } from './watch.js'

/** @typedef {import('./types.js').Sighting} Sighting */

/** Why there is no picture, by the names of the errors (Media Capture and Streams, 10.3.5). @type {Record<string, string>} */
const REASONS = { NotAllowedError: 'camera.forbidden', NotFoundError: 'camera.none', NotReadableError: 'camera.busy' }

const NOTHING = {
  inView: /** @type {Sighting[]} */ ([]),
  choose: /** @type {(chosen: Sighting) => void} */ (() => undefined),
}

/** @typedef {{seen: import('./panel.js').Seen, say?: import('./panel.js').Say, failed: () => void}} Watching */

/**
 * Draw the live picture, and return the function that ends it.
 * @param {Watching} watching @param {HTMLElement} place
 */
export function drawLiveCamera(watching, place) {
  return draw(html`<${LiveCamera} ...${watching} />`, place).end
}

/** @param {Watching} props */
function LiveCamera({ seen, say = aside, failed }) {
  const video = useRef(/** @type {HTMLVideoElement | null} */ (null))
  const chosen = useSignal('')
  const track = useSignal(/** @type {MediaStreamTrack | null} */ (null))
  const all = useSignal(/** @type {MediaDeviceInfo[]} */ ([]))
  const last = useSignal(/** @type {import('./types.js').SeenCode | null} */ (null))
  const shown = useSignal(NOTHING)
  const count = (/** @type {import('./types.js').SeenCode} */ code) => {
    last.value = code
    seen(code.text, code.type)
  }

  useEffect(() => {
    const ended = new AbortController()
    begin(ended.signal).catch((error) => {
      // switching the camera off while it starts is an error for the browser, but not for the user
      if (ended.signal.aborted) return
      announce(text(REASONS[error.name] ?? 'camera.refused', { why: error.message }), 'bad')
      if (chosen.peek()) chosen.value = ''
      else failed()
    })
    return () => ended.abort()
  }, [chosen.value])

  const isShown = track.value !== null
  useEffect(() => {
    const element = video.current
    if (!isShown || !element) return undefined
    const ended = new AbortController()
    keepScreenOn(ended.signal)
    const watcher = {
      seen: count,
      shown: (/** @type {Sighting[]} */ inView, /** @type {typeof NOTHING.choose} */ choose) =>
        void (shown.value = { inView, choose }),
      failed: (/** @type {unknown} */ error) => say('blind', blindness(error)),
      recovered: () => say('ready', text('scan.ready')),
    }
    void watch(element, watcher, ended.signal)
    return () => ended.abort()
  }, [isShown])

  /** @param {AbortSignal} signal */
  async function begin(signal) {
    const started = await showCamera(/** @type {HTMLVideoElement} */ (video.current), signal, chosen.peek())
    if (signal.aborted) return
    if (chosen.peek()) keepCamera(chosen.peek())
    track.value = started
    all.value = await cameras()
  }

  return html`
    <video ref=${video} playsinline muted aria-label=${text('camera.picture')} />
    <${Outlines} video=${video.current} ...${shown.value} />
    <div class="row camera-tools">
      ${last.value && html`<${Button} onclick=${() => last.value && count(last.value)}>${text('camera.again')}<//>`}
      ${track.value && html`<${Torch} key=${track.value.id} track=${track.value} />`}
      ${track.value && html`<${CameraChoice} all=${all.value} track=${track.value} chosen=${chosen} />`}
    </div>`
}

/** Why the service, which reads the pictures, does not. @param {unknown} error */
function blindness(error) {
  return error instanceof Unreachable ? `${errorText(error)} ${text('camera.blind')}` : errorText(error)
}

/** @param {{all: MediaDeviceInfo[], track: MediaStreamTrack, chosen: {value: string}}} props */
function CameraChoice({ all, track, chosen }) {
  if (all.length < 2) return null
  const choose = (/** @type {{currentTarget: HTMLSelectElement}} */ { currentTarget: { value } }) =>
    (chosen.value = value)
  return html`
    <select class="of-camera" aria-label=${text('camera')} value=${track.getSettings().deviceId} onchange=${choose}>
      ${all.map(({ deviceId, label }) => html`<option key=${deviceId} value=${deviceId}>${label}</option>`)}
    </select>`
}

/** @param {{track: MediaStreamTrack}} props */
function Torch({ track }) {
  const isOn = useSignal(false)
  const torch = torchOf(track)
  if (!torch) return null
  const toggle = () =>
    torch(!isOn.value).then(
      () => (isOn.value = !isOn.value),
      () => undefined,
    )
  return html`<${Button} aria-pressed=${String(isOn.value)} onclick=${toggle}>${text('camera.torch')}<//>`
}

/**
 * What has counted, and what can be tapped instead.
 * @param {{video: HTMLVideoElement | null, inView: Sighting[], choose: (chosen: Sighting) => void}} props
 */
function Outlines({ video, inView, choose }) {
  const viewBox = `0 0 ${video?.videoWidth ?? 0} ${video?.videoHeight ?? 0}`
  return html`
    <svg class="outlines" preserveAspectRatio="xMidYMid slice" viewBox=${viewBox}>
      ${inView.map(
        (sighting) => html`
        <${Outline} key=${`${sighting.hasCounted} ${sighting.key}`} sighting=${sighting} choose=${choose} />`,
      )}
    </svg>`
}

/** @param {{sighting: Sighting, choose: (chosen: Sighting) => void}} props */
function Outline({ sighting, choose }) {
  const points = sighting.code.position.map(({ x, y }) => `${Math.round(x)},${Math.round(y)}`).join(' ')
  if (sighting.hasCounted) return html`<g class="counted"><polygon points=${points} /></g>`
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return
    event.preventDefault()
    choose(sighting)
  }
  const label = text('camera.scan', { code: sighting.code.text })
  return html`
    <g role="button" tabindex="0" aria-label=${label} onclick=${() => choose(sighting)} onkeydown=${pressed}>
      <polygon class="target" points=${points} />
      <polygon points=${points} />
    </g>`
}
