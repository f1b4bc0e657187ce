/**
 * The live picture of the camera, the codes in it, and its tools: count again, flashlight, another camera.
 *
 * Rule: the camera that a person has chosen is used again once it has worked; one that does not start gives way to the one
 * on the back. Outlines cover the picture as the video does, so they are in pixels of the video. While a dialog is open, or
 * the page is hidden, the camera pauses.
 */

import { Unreachable } from '../api.js'
import { text } from '../language.js'
import { announce, openDialog } from '../in_front.js'
import { keptValue } from '../settings.js'
import { Button, errorText, html, useEffect, useMemo, useRef, useSignal } from '../ui.js'
import { keepScreenOn } from '../while_visible.js'
import { serviceReading } from './photo.js'
import { visible } from './places.js'
import { Sightings } from './sightings.js'
import { workerReading } from './worker.js'

/** @typedef {import('./types.js').Sighting} Sighting */
/** @typedef {import('./types.js').SeenCode} SeenCode */
/** @typedef {{seen: (code: SeenCode) => void, shown: (inView: Sighting[]) => void, failed: (error?: unknown) => void}} Told */

/** Why there is no picture, by the names of the errors (Media Capture and Streams, 10.3.5). @type {Record<string, string>} */
const REASONS = { NotAllowedError: 'camera.forbidden', NotFoundError: 'camera.none', NotReadableError: 'camera.busy' }

/** The wanted size of the picture, in pixels. */
const SIZE = { width: { ideal: 1280 }, height: { ideal: 720 } }

/** Milliseconds between two pictures that are read here, and through the service. */
const INTERVAL = 125
const SERVICE_INTERVAL = 250

const kept = keptValue('localStorage', 'camera')

/** @param {{camera: import('./panel.js').Camera}} props */
export function LiveCamera({ camera: { seen, say, isOn } }) {
  const video = useRef(/** @type {HTMLVideoElement | null} */ (null))
  const chosen = useSignal('')
  const track = useSignal(/** @type {MediaStreamTrack | null} */ (null))
  const all = useSignal(/** @type {MediaDeviceInfo[]} */ ([]))
  const last = useSignal(/** @type {SeenCode | null} */ (null))
  const sightings = useMemo(() => new Sightings(), [])
  const inView = useSignal(/** @type {Sighting[]} */ ([]))
  const count = (/** @type {SeenCode} */ code) => {
    last.value = code
    seen(code.text, code.type)
  }

  useEffect(() => {
    const ended = new AbortController()
    const begin = async () => {
      track.value = await showCamera(/** @type {HTMLVideoElement} */ (video.current), ended.signal, chosen.value)
      if (chosen.value) kept.store(chosen.value)
      // their names are known once one was allowed
      const devices = await navigator.mediaDevices.enumerateDevices()
      all.value = devices.filter(({ kind, deviceId }) => kind === 'videoinput' && deviceId !== '')
    }
    begin().catch((error) => {
      // switching the camera off while it starts is an error for the browser, but not for the user
      if (ended.signal.aborted) return
      announce(text(REASONS[error.name] ?? 'camera.refused', { why: error.message }), 'bad')
      if (chosen.value) chosen.value = ''
      else isOn.value = false
    })
    return () => ended.abort()
  }, [chosen.value])

  useEffect(() => {
    const ended = new AbortController()
    keepScreenOn(ended.signal)
    const failed = (/** @type {unknown} */ error) => {
      const more = error instanceof Unreachable ? ` ${text('camera.blind')}` : ''
      if (error) say('blind', errorText(error) + more)
      else say('ready', text('scan.ready'))
    }
    const shown = (/** @type {Sighting[]} */ some) => void (inView.value = some)
    void watch(/** @type {HTMLVideoElement} */ (video.current), sightings, { seen: count, shown, failed }, ended.signal)
    return () => ended.abort()
  }, [])

  return html`
    <video ref=${video} playsinline muted aria-label=${text('camera.picture')} />
    <svg class="outlines" preserveAspectRatio="xMidYMid slice"
      viewBox=${`0 0 ${video.current?.videoWidth ?? 0} ${video.current?.videoHeight ?? 0}`}>
      ${inView.value.map(
        (sighting) => html`
        <${Outline} key=${`${sighting.hasCounted} ${sighting.key}`} sighting=${sighting}
          choose=${() => count(sightings.choose(sighting))} />`,
      )}
    </svg>
    <div class="row camera-tools">
      ${last.value && html`<${Button} onclick=${() => last.value && count(last.value)}>${text('camera.again')}<//>`}
      ${track.value && html`<${Torch} key=${track.value.id} track=${track.value} />`}
      ${track.value && all.value.length > 1 && html`<${CameraChoice} all=${all.value} track=${track.value} chosen=${chosen} />`}
    </div>`
}

/** Show a camera until `signal` aborts. @type {(video: HTMLVideoElement, signal: AbortSignal, chosen: string) => Promise<MediaStreamTrack>} */
async function showCamera(video, signal, chosen) {
  const stream = await streamOf(chosen)
  const [track] = /** @type {[MediaStreamTrack]} */ (stream.getTracks())
  if (signal.aborted) track.stop()
  signal.throwIfAborted()
  signal.addEventListener('abort', () => track.stop())
  video.srcObject = stream
  await video.play()
  signal.throwIfAborted()
  return track
}

/** Return the picture of the chosen camera, or else that of the kept one, unless it is gone, busy or broken, or of one on the back. @param {string} chosen */
async function streamOf(chosen) {
  const open = (/** @type {MediaTrackConstraints} */ which) =>
    navigator.mediaDevices.getUserMedia({ video: { ...SIZE, ...which } })
  const stored = kept.read()
  if (chosen) return open({ deviceId: { exact: chosen } })
  const stream = typeof stored === 'string' && (await open({ deviceId: { exact: stored } }).catch(() => null))
  return stream || open({ facingMode: 'environment' })
}

/** Watch the picture for codes. `failed` is called with why when pictures begin to fail, and when one is read again. @type {(video: HTMLVideoElement, sightings: Sightings, told: Told, signal: AbortSignal) => Promise<void>} */
async function watch(video, sightings, { seen, shown, failed }, signal) {
  const reading = await workerReading(video, signal)
  const read = reading ?? serviceReading(video, signal)
  let isFailing = false

  /** @param {number} time */
  async function look(time) {
    // a picture that is not read says nothing about missing codes
    if (rests()) return sightings.pause()
    const codes = await read()
    if (signal.aborted) return
    if (isFailing) failed()
    isFailing = false
    if (rests()) return sightings.pause()
    const counted = sightings.see(visible(codes, video), time)
    if (counted) seen(counted)
    shown(sightings.inView())
  }

  while (!signal.aborted) {
    const begun = performance.now()
    await look(begun).catch((error) => {
      if (!isFailing && !signal.aborted) failed(error)
      isFailing = true
    })
    const next = begun + (reading ? INTERVAL : SERVICE_INTERVAL)
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())))
  }
  if (isFailing) failed()
}

const rests = () => document.hidden || openDialog() !== undefined

/** @param {{all: MediaDeviceInfo[], track: MediaStreamTrack, chosen: {value: string}}} props */
function CameraChoice({ all, track, chosen }) {
  const choose = (/** @type {Event & {currentTarget: HTMLSelectElement}} */ { currentTarget: { value } }) =>
    (chosen.value = value)
  return html`
    <select class="of-camera" aria-label=${text('camera')} value=${track.getSettings().deviceId} onchange=${choose}>
      ${all.map(({ deviceId, label }) => html`<option key=${deviceId} value=${deviceId}>${label}</option>`)}
    </select>`
}

/** @param {{track: MediaStreamTrack}} props */
function Torch({ track }) {
  const isOn = useSignal(false)
  const { torch } = /** @type {{torch?: boolean}} */ (track.getCapabilities?.() ?? {})
  const toggle = async () => {
    await track.applyConstraints({ advanced: [/** @type {MediaTrackConstraintSet} */ ({ torch: !isOn.value })] })
    isOn.value = !isOn.value
  }
  return torch && html`<${Button} aria-pressed=${String(isOn.value)} onclick=${toggle}>${text('camera.torch')}<//>`
}

/** What has counted, or what can be tapped instead. @param {{sighting: Sighting, choose: () => void}} props */
function Outline({ sighting, choose }) {
  const points = sighting.code.position.map(({ x, y }) => `${Math.round(x)},${Math.round(y)}`).join(' ')
  if (sighting.hasCounted) return html`<g class="counted"><polygon points=${points} /></g>`
  const press = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return
    event.preventDefault()
    choose()
  }
  const label = text('camera.scan', { code: sighting.code.text })
  return html`
    <g role="button" tabindex="0" aria-label=${label} onclick=${choose} onkeydown=${press}>
      <polygon class="target" points=${points} />
      <polygon points=${points} />
    </g>`
}
