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

/** The longest side of a picture for the service, in pixels, and of a photo, which may show a code from further off. */
const LONGEST = 1280
const PHOTO = 2560

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

/**
 * Show the camera in a video element and call `seen` with each code that comes into the picture, until `signal` aborts.
 *
 * @param {HTMLVideoElement} video
 * @param {(code: string) => void} seen
 * @param {(error: unknown) => void} failed called when pictures begin to fail, once until one is read again
 * @param {AbortSignal} signal
 * @throws {DOMException} where there is no camera, or nobody allows it
 */
export async function watch(video, seen, failed, signal) {
  const stream = await navigator.mediaDevices.getUserMedia({
    video: { facingMode: 'environment', width: { ideal: LONGEST }, height: { ideal: 720 } },
  })
  const stop = () => stream.getTracks().forEach((track) => track.stop())
  if (signal.aborted) return stop()
  signal.addEventListener('abort', stop)
  video.srcObject = stream
  await video.play()
  void look(video, seen, failed, signal)
}

/**
 * Return the texts of the codes on a photo, which is made smaller first: phones take larger ones than the service does.
 *
 * @param {Blob} photo
 * @returns {Promise<string[]>}
 * @throws {Refusal | import('../api.js').Unreachable}
 */
export async function codesOnPhoto(photo) {
  const bitmap = await createImageBitmap(photo).catch(() => null)
  const smaller = bitmap && (await jpeg(bitmap, bitmap, PHOTO, document.createElement('canvas')))
  bitmap?.close()
  return codesOn(smaller ?? photo)
}

/**
 * @param {Blob} photo
 * @param {AbortSignal} [signal]
 * @returns {Promise<string[]>}
 */
async function codesOn(photo, signal) {
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
 * @param {(error: unknown) => void} failed
 * @param {AbortSignal} signal
 */
async function look(video, seen, failed, signal) {
  const read = await reader(video, signal)
  const sightings = new Sightings()
  let failing = false
  while (!signal.aborted) {
    const begun = performance.now()
    try {
      const codes = document.hidden ? [] : await read()
      if (!signal.aborted) sightings.see(codes, begun).forEach(seen)
      failing = false
    } catch (error) {
      if (!failing && !signal.aborted) failed(error)
      failing = true
    }
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
    const picture = await jpeg(video, { width: video.videoWidth, height: video.videoHeight }, LONGEST, canvas)
    return picture ? codesOn(picture, signal) : []
  }
}

/**
 * Return a picture as a JPEG whose longer side has at most so many pixels, or null where there is nothing on it yet.
 *
 * @param {CanvasImageSource} source
 * @param {{width: number, height: number}} size of the source
 * @param {number} longest
 * @param {HTMLCanvasElement} canvas that is drawn on
 * @returns {Promise<Blob | null>}
 */
function jpeg(source, { width, height }, longest, canvas) {
  const scale = Math.min(1, longest / Math.max(width, height, 1))
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  canvas.getContext('2d')?.drawImage(source, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.85))
}
