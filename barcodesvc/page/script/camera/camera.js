/** The camera of the device: its picture in a video element, the choice among several, and its light. */

import { keptValue } from '../settings.js'

/** The wanted size of the picture, in pixels. */
const SIZE = { width: { ideal: 1280 }, height: { ideal: 720 } }

const kept = keptValue('localStorage', 'camera')

/**
 * Show a camera in a video element until `signal` aborts.
 * @param {HTMLVideoElement} video @param {AbortSignal} signal
 * @param {string} [chosen] its id; by default the one that was kept, or else one on the back of the device
 * @returns {Promise<MediaStreamTrack>} @throws {DOMException} if there is no camera, or no permission
 */
export async function showCamera(video, signal, chosen = '') {
  const stream = chosen ? await streamOf({ deviceId: { exact: chosen } }) : await usualStream()
  const [track] = /** @type {[MediaStreamTrack]} */ (stream.getTracks())
  signal.addEventListener('abort', () => track.stop())
  if (signal.aborted) track.stop()
  else {
    video.srcObject = stream
    await video.play()
  }
  return track
}

async function usualStream() {
  const deviceId = kept.read()
  // the one that was kept may be gone, busy or broken
  const stream = typeof deviceId === 'string' && (await streamOf({ deviceId: { exact: deviceId } }).catch(() => null))
  return stream || streamOf({ facingMode: 'environment' })
}

/** @param {MediaTrackConstraints} which */
function streamOf(which) {
  return navigator.mediaDevices.getUserMedia({ video: { ...SIZE, ...which } })
}

/** Return the cameras of the device. Their names are known once one was allowed. */
export async function cameras() {
  const devices = await navigator.mediaDevices.enumerateDevices()
  return devices.filter(({ kind, deviceId }) => kind === 'videoinput' && deviceId !== '')
}

/** Use this camera from the next time on. @param {string} deviceId */
export function keepCamera(deviceId) {
  kept.store(deviceId)
}

/**
 * Return a function that switches the light of a camera on or off, or null if it has none.
 * @param {MediaStreamTrack} track
 */
export function torchOf(track) {
  const { torch } = /** @type {{torch?: boolean}} */ (track.getCapabilities?.() ?? {})
  if (!torch) return null
  return (/** @type {boolean} */ isOn) => track.applyConstraints({ advanced: [/** @type {any} */ ({ torch: isOn })] })
}
