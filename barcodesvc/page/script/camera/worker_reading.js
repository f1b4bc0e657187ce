/**
 * Reads the picture of a video element in a worker, and with it two turned copies: a turned code is read a little later.
 *
 * Rule: one picture is under way at a time.
 */

import { READING_WORKER, workerAddress } from '../worker_address.js'
import { Agreement, isDoubtful } from './agreement.js'
import { TurnedLooks, turnedBack } from './turned_looks.js'
import { codesOf, readingOptions } from './zxing_codes.js'

/** @typedef {import('./zxing_codes.js').Code} Code */
/** @typedef {{width: number, height: number}} Size */

/** The longest side of a picture, in pixels. */
const LONGEST = 1280

/**
 * Return a function that reads the picture, and fails if the worker does; or null if the worker cannot read at all.
 * @param {HTMLVideoElement} video @param {AbortSignal} signal ends the worker
 * @returns {Promise<(() => Promise<Code[]>) | null>}
 */
export async function readingOf(video, signal) {
  const worker = new Worker(workerAddress(READING_WORKER), { type: 'module' })
  signal.addEventListener('abort', () => worker.terminate())
  if (!(await nextMessage(worker))) {
    worker.terminate()
    return null
  }
  const canvas = document.createElement('canvas')
  const [looks, agreement] = [new TurnedLooks(), new Agreement()]

  /** @param {number} degrees @param {Size} size of the copy */
  async function look(degrees, size) {
    const picture = turned(video, degrees, canvas, size)
    const message = nextMessage(worker)
    worker.postMessage({ picture, options: readingOptions(degrees !== 0) }, [picture.data.buffer])
    const found = await message
    if (!found) throw new Error('the worker could not read the picture')
    const scale = video.videoWidth / size.width
    const readings = codesOf(found).map((code) => {
      const position = code.position.map((corner) => scaled(turnedBack(corner, degrees, size), scale))
      return { ...code, position, degrees }
    })
    if (readings.length) looks.found(degrees, readings.some(isDoubtful))
    return readings
  }

  return async () => {
    const size = smaller(video)
    if (!size.width) return []
    const readings = await look(0, size)
    for (const degrees of looks.turns()) readings.push(...(await look(degrees, size)))
    return agreement.codes(readings)
  }
}

/** Return what a worker sends next, or null if it fails. @param {Worker} worker @returns {Promise<any>} */
function nextMessage(worker) {
  return new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve(data)
    worker.onerror = () => resolve(null)
  })
}

/** @param {HTMLVideoElement} video @returns {Size} */
function smaller({ videoWidth, videoHeight }) {
  const scale = Math.min(1, LONGEST / Math.max(videoWidth, videoHeight, 1))
  return { width: Math.round(videoWidth * scale), height: Math.round(videoHeight * scale) }
}

/**
 * Return a copy of a picture, turned clockwise around its middle: what turns out of the frame is cut off.
 * @param {HTMLVideoElement} video @param {number} degrees @param {HTMLCanvasElement} canvas @param {Size} size
 */
function turned(video, degrees, canvas, { width, height }) {
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height })
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', { willReadFrequently: true }))
  context.setTransform(1, 0, 0, 1, 0, 0)
  context.fillStyle = '#fff'
  context.fillRect(0, 0, width, height)
  context.translate(width / 2, height / 2)
  context.rotate((degrees * Math.PI) / 180)
  context.drawImage(video, -width / 2, -height / 2, width, height)
  const { data } = context.getImageData(0, 0, width, height)
  return { data, width, height }
}

/** @param {{x: number, y: number}} point @param {number} scale */
function scaled({ x, y }, scale) {
  return { x: x * scale, y: y * scale }
}
