/**
 * Reads codes with the camera: with the browser's own detector if it has one, otherwise through the service.
 *
 * Rule: one picture is under way at a time, and at most four a second. A picture for the service has at most 1280 pixels a
 * side, so that it counts as small there. While a dialog is open, the camera pauses.
 */

import { ask, Refusal } from '../api.js'
import { openDialog } from '../dialogs.js'
import { Sightings } from './sightings.js'

/** The shortest time between two pictures, in milliseconds. */
const INTERVAL = 250

/** The longest side of a picture for the service, in pixels, and of a photo, whose code may be further away. */
const LONGEST = 1280
const PHOTO = 2560

/** The formats for the browser's detector: the linear codes and matrix codes used in retail. */
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

/** @typedef {{text: string, product: string, position: {x: number, y: number}[]}} SeenCode `product` is its description */

/**
 * Show the camera in a video element and call `seen` with each code that counts, until `signal` aborts.
 *
 * @param {HTMLVideoElement} video
 * @param {(code: string) => void} seen
 * @param {(error: unknown) => void} failed called when pictures begin to fail, once until one is read again
 * @param {AbortSignal} signal
 * @throws {DOMException} if there is no camera, or no permission
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
 * Return the codes in a photo, after scaling it down: phones take larger ones than the service accepts.
 *
 * @param {Blob} photo
 * @returns {Promise<SeenCode[]>}
 * @throws {Refusal | import('../api.js').Unreachable}
 */
export async function codesOnPhoto(photo) {
  const bitmap = await createImageBitmap(photo).catch(() => null)
  const canvas = document.createElement('canvas')
  const smaller = bitmap && (await jpeg(bitmap, bitmap, PHOTO, canvas))
  bitmap?.close()
  return fromTheMiddle(await codesOn(smaller ?? photo, 'normal'), canvas)
}

/**
 * @param {Blob} photo
 * @param {'quick' | 'normal'} effort how hard the service looks; of a video, the next picture is a better second look
 * @param {AbortSignal} [signal]
 * @returns {Promise<SeenCode[]>}
 */
async function codesOn(photo, effort, signal) {
  const body = new FormData()
  body.append('effort', effort)
  body.append('image', photo, 'photo')
  const found = await ask('POST', '/api/codes/decode', { body, ...(signal ? { signal } : {}) }).catch((error) => {
    if (error instanceof Refusal && error.code === 'PRODUCT_NOT_FOUND') return error.details
    throw error
  })
  return (found.codes ?? []).map((/** @type {any} */ { text, product, position }) => {
    return { text, product: product?.description ?? '', position }
  })
}

/**
 * Return codes by their distance from the centre of the picture, each text once.
 *
 * @param {SeenCode[]} codes
 * @param {{width: number, height: number}} picture
 */
function fromTheMiddle(codes, { width, height }) {
  const distance = (/** @type {SeenCode} */ { position }) => {
    const [x, y] = [mean(position.map((corner) => corner.x)), mean(position.map((corner) => corner.y))]
    return Math.hypot(x - width / 2, y - height / 2)
  }
  const sorted = [...codes].sort((one, other) => distance(one) - distance(other))
  return sorted.filter(({ text }, index) => sorted.findIndex((code) => code.text === text) === index)
}

/** @param {number[]} numbers */
function mean(numbers) {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length
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
      const codes = rests() ? null : await read()
      const counted = codes && !signal.aborted && !rests() && sightings.see(codes, begun)
      if (counted) seen(counted)
      failing = false
    } catch (error) {
      if (!failing && !signal.aborted) failed(error)
      failing = true
    }
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, begun + INTERVAL - performance.now())))
  }
}

/** Whether reading is paused: a picture that is not read says nothing about missing codes. */
function rests() {
  return document.hidden || openDialog() !== undefined
}

/**
 * Return a function that reads the picture of a video element: the codes, nearest to the centre first.
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
    return async () => {
      const found = await detector.detect(video)
      const codes = found.map((/** @type {any} */ { rawValue, cornerPoints }) => {
        return { text: rawValue, product: '', position: cornerPoints }
      })
      return textsOf(fromTheMiddle(codes, { width: video.videoWidth, height: video.videoHeight }))
    }
  }
  const canvas = document.createElement('canvas')
  return async () => {
    const picture = await jpeg(video, { width: video.videoWidth, height: video.videoHeight }, LONGEST, canvas)
    return picture ? textsOf(fromTheMiddle(await codesOn(picture, 'quick', signal), canvas)) : []
  }
}

/** @param {SeenCode[]} codes */
function textsOf(codes) {
  return codes.map(({ text }) => text)
}

/**
 * Return a picture as a JPEG whose longer side has at most this many pixels, or null if there is no picture yet.
 *
 * @param {CanvasImageSource} source
 * @param {{width: number, height: number}} size of the source
 * @param {number} longest
 * @param {HTMLCanvasElement} canvas to draw on
 * @returns {Promise<Blob | null>}
 */
function jpeg(source, { width, height }, longest, canvas) {
  const scale = Math.min(1, longest / Math.max(width, height, 1))
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  canvas.getContext('2d')?.drawImage(source, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.85))
}
