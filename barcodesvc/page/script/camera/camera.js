/**
 * The camera of the device: its picture in a video element, the choice among several, and its light.
 *
 * Rule: the camera that a person has chosen on this device is used again; before that, one on its back.
 */

import { keptValue } from '../kept_value.js'

/** The wanted size of the picture, in pixels. */
const SIZE = { width: { ideal: 1280 }, height: { ideal: 720 } }

const chosen = keptValue('localStorage', 'camera')

/**
 * Show the camera in a video element until `signal` aborts.
 *
 * @param {HTMLVideoElement} video
 * @param {AbortSignal} signal
 * @returns {Promise<MediaStreamTrack>}
 * @throws {DOMException} if there is no camera, or no permission
 */
export async function showCamera(video, signal) {
  const stream = await chosenCamera()
  const [track] = /** @type {[MediaStreamTrack]} */ (stream.getTracks())
  signal.addEventListener('abort', () => track.stop())
  if (signal.aborted) track.stop()
  else {
    video.srcObject = stream
    await video.play()
  }
  return track
}

/** @returns {Promise<MediaStream>} */
async function chosenCamera() {
  const deviceId = chosen.read()
  const { mediaDevices } = navigator
  try {
    if (typeof deviceId === 'string')
      return await mediaDevices.getUserMedia({ video: { ...SIZE, deviceId: { exact: deviceId } } })
  } catch (error) {
    if (/** @type {Error} */ (error).name !== 'OverconstrainedError') throw error // it is gone
  }
  return mediaDevices.getUserMedia({ video: { ...SIZE, facingMode: 'environment' } })
}

/** Return the cameras of the device. Their names are known once one was allowed. */
export async function cameras() {
  const devices = await navigator.mediaDevices.enumerateDevices()
  return devices.filter(({ kind, deviceId }) => kind === 'videoinput' && deviceId !== '')
}

/** Use this camera from the next time on. @param {string} deviceId */
export function chooseCamera(deviceId) {
  chosen.store(deviceId)
}

/**
 * Return a function that switches the light of a camera on or off, or null if it has none.
 *
 * @param {MediaStreamTrack} track
 */
export function torchOf(track) {
  const { torch } = /** @type {{torch?: boolean}} */ (track.getCapabilities?.() ?? {})
  if (!torch) return null
  return (/** @type {boolean} */ isOn) => track.applyConstraints({ advanced: [/** @type {any} */ ({ torch: isOn })] })
}
