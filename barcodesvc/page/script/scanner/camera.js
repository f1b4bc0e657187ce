/**
 * Reads codes with the camera: by the browser's own detector where it has one, else by the service.
 *
 * Rule: one picture is under way at a time, and four a second at most. A picture for the service has at most 1280
 * pixels a side, so that it is read without a process of its own.
 */

import { ask, Refusal } from '../api.js'
import { Sightings } from './sightings.js'

/** The shortest time between two pictures, in milliseconds. */
const INTERVAL = 250

/** The longest side of a picture for the service, in pixels. */
const LONGEST = 1280

/** What the browser's detector is asked for: the linear codes and matrix codes of goods. */
const FORMATS = [
  'ean_13',
  'ean_8',
  'upc_a',
  'upc_e',
  'code_128',
  'code_39',
  'code_93',
  'codabar',
  'itf',
  'qr_code',
  'data_matrix',
  'pdf417',
  'aztec',
]

/** Whether this page may use the camera at all: by plain HTTP browsers do not let it. */
export function hasCamera() {
  return window.isSecureContext && Boolean(navigator.mediaDevices?.getUserMedia)
}

/**
 * Show the camera in a video element and call `seen` with each code that comes into the picture, until `signal` aborts.
 *
 * @param {HTMLVideoElement} video
 * @param {(code: string) => void} seen
 * @param {AbortSignal} signal
 * @throws {DOMException} where there is no camera, or nobody allows it
 */
export async function watch(video, seen, signal) {
  const stream = await navigator.mediaDevices.getUserMedia({
    video: { facingMode: 'environment', width: { ideal: LONGEST }, height: { ideal: 720 } },
  })
  const stop = () => stream.getTracks().forEach((track) => track.stop())
  if (signal.aborted) return stop()
  signal.addEventListener('abort', stop)
  video.srcObject = stream
  await video.play()
  void look(video, seen, signal)
}

/**
 * Return the texts of the codes on a photo.
 *
 * @param {Blob} photo
 * @param {AbortSignal} [signal]
 * @returns {Promise<string[]>}
 */
export async function codesOn(photo, signal) {
  const body = new FormData()
  body.append('image', photo, 'photo')
  const found = await ask('POST', '/api/codes/decode', { body, ...(signal ? { signal } : {}) }).catch((error) => {
    if (error instanceof Refusal && error.code === 'PRODUCT_NOT_FOUND') return error.details
    throw error
  })
  return (found.codes ?? []).map((/** @type {{text: string}} */ code) => code.text)
}

/**
 * @param {HTMLVideoElement} video
 * @param {(code: string) => void} seen
 * @param {AbortSignal} signal
 */
async function look(video, seen, signal) {
  const read = await reader(video, signal)
  const sightings = new Sightings()
  while (!signal.aborted) {
    const begun = performance.now()
    const codes = await read().catch(() => null)
    if (signal.aborted) return
    if (codes) sightings.see(codes, begun).forEach(seen)
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, begun + INTERVAL - performance.now())))
  }
}

/**
 * Return what reads the picture that stands in a video element.
 *
 * @param {HTMLVideoElement} video
 * @param {AbortSignal} signal
 * @returns {Promise<() => Promise<string[]>>}
 */
async function reader(video, signal) {
  const Detector = /** @type {any} */ (window).BarcodeDetector
  const known = Detector ? await Detector.getSupportedFormats().catch(() => []) : []
  if (FORMATS.slice(0, 2).every((format) => known.includes(format))) {
    const detector = new Detector({ formats: FORMATS.filter((format) => known.includes(format)) })
    return async () => (await detector.detect(video)).map((/** @type {{rawValue: string}} */ code) => code.rawValue)
  }
  const canvas = document.createElement('canvas')
  return async () => {
    const photo = await picture(video, canvas)
    return photo ? codesOn(photo, signal) : []
  }
}

/**
 * @param {HTMLVideoElement} video
 * @param {HTMLCanvasElement} canvas
 * @returns {Promise<Blob | null>}
 */
function picture(video, canvas) {
  const scale = Math.min(1, LONGEST / Math.max(video.videoWidth, video.videoHeight, 1))
  canvas.width = Math.round(video.videoWidth * scale)
  canvas.height = Math.round(video.videoHeight * scale)
  canvas.getContext('2d')?.drawImage(video, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.85))
}
