/**
 * Reads the codes on the picture of a video element: with zxing-cpp in a worker, or else through the service.
 *
 * Rule: a reader gives texts as a scanner would send them, and positions in pixels of the video.
 */

import { codesOn, jpegOf } from './photo.js'

/** @typedef {import('./zxing_codes.js').Code} Code */
/** @typedef {{read: () => Promise<Code[]>, interval: number}} CodeReader `interval`: milliseconds between two pictures */

/** Milliseconds between two pictures that are read here, and through the service. */
const INTERVAL = 125
const SERVICE_INTERVAL = 250

/** The longest side of a picture for the service, in pixels: up to this it counts as small there. */
const LONGEST = 1280

/** @param {HTMLVideoElement} video @param {AbortSignal} signal ends the reader @returns {Promise<CodeReader>} */
export async function codeReader(video, signal) {
  return (await worker(video, signal)) ?? service(video, signal)
}

/**
 * @param {HTMLVideoElement} video @param {AbortSignal} signal
 * @returns {Promise<CodeReader | null>} null if the browser does not run WebAssembly
 */
async function worker(video, signal) {
  if (!('WebAssembly' in window)) return null
  const read = await import('./worker_reading.js').then(
    ({ readingOf }) => readingOf(video, signal),
    () => null,
  )
  return read && { read, interval: INTERVAL }
}

/** @param {HTMLVideoElement} video @param {AbortSignal} signal @returns {CodeReader} */
function service(video, signal) {
  const canvas = document.createElement('canvas')
  return {
    interval: SERVICE_INTERVAL,
    async read() {
      const { videoWidth: width, videoHeight: height } = video
      const picture = await jpegOf(video, { width, height }, LONGEST, canvas)
      const codes = picture ? await codesOn(picture, 'quick', signal) : []
      return codes.map(({ text, type, position }) => {
        const scaled = position.map(({ x, y }) => ({ x: (x * width) / canvas.width, y: (y * height) / canvas.height }))
        return { text, type, position: scaled }
      })
    },
  }
}
