/**
 * Reads the picture of a video in a worker, and with it turned copies: a turned code is read a little later.
 *
 * Rule: one picture is under way at a time. Positions are in pixels of the video.
 */

import { READING_WORKER, workerAddress } from '../workers.js'
import { isDoubtful } from './confidence.js'
import { Agreement, TurnedLooks } from './looks.js'
import { scaled } from './places.js'

/** @typedef {import('./types.js').Code} Code */
/** @typedef {{width: number, height: number}} Size */

/** The longest side of a picture, in pixels. */
const LONGEST = 1280

/** Return what reads the picture, and fails if the worker does; or null if there can be no worker. @type {(video: HTMLVideoElement, signal: AbortSignal) => Promise<(() => Promise<Code[]>) | null>} */
export async function workerReading(video, signal) {
  if (!('WebAssembly' in window)) return null
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
    worker.postMessage({ picture, isTurned: degrees !== 0 }, [picture.data.buffer])
    const codes = /** @type {Code[] | null} */ (await message)
    if (!codes) throw new Error('the worker could not read the picture')
    const readings = codes.map((code) => {
      const back = code.position.map((corner) => turnedBack(corner, degrees, size))
      return { ...code, degrees, position: scaled(back, video.videoWidth / size.width) }
    })
    if (readings.length) looks.found(degrees, readings.some(isDoubtful))
    return readings
  }

  return async () => {
    const scale = Math.min(1, LONGEST / Math.max(video.videoWidth, video.videoHeight, 1))
    const size = { width: Math.round(video.videoWidth * scale), height: Math.round(video.videoHeight * scale) }
    if (!size.width) return []
    const readings = await look(0, size)
    for (const degrees of looks.turns()) readings.push(...(await look(degrees, size)))
    return agreement.codes(readings)
  }
}

/** Return what a worker sends next, or null if it fails. @type {(worker: Worker) => Promise<unknown>} */
function nextMessage(worker) {
  return new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve(data)
    worker.onerror = () => resolve(null)
  })
}

/** Return a copy of the picture, turned clockwise around its middle. @type {(video: HTMLVideoElement, degrees: number, canvas: HTMLCanvasElement, size: Size) => Size & {data: Uint8ClampedArray<ArrayBuffer>}} */
function turned(video, degrees, canvas, { width, height }) {
  Object.assign(canvas, { width, height })
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', { willReadFrequently: true }))
  context.fillStyle = '#fff'
  context.fillRect(0, 0, width, height)
  context.translate(width / 2, height / 2)
  context.rotate((degrees * Math.PI) / 180)
  context.drawImage(video, -width / 2, -height / 2, width, height)
  return { data: context.getImageData(0, 0, width, height).data, width, height }
}

/** Return where a point of a turned copy is in the picture, which has the same size. @type {(point: import('./types.js').Point, degrees: number, size: Size) => import('./types.js').Point} */
export function turnedBack({ x, y }, degrees, { width, height }) {
  const [cosine, sine] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]
  const [across, down] = [x - width / 2, y - height / 2]
  return { x: cosine * across + sine * down + width / 2, y: cosine * down - sine * across + height / 2 }
}
