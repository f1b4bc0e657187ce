/**
 * Watches the picture of a camera for codes: with zxing-cpp in a worker, or where browsers have no WebAssembly through the
 * service.
 *
 * Rule: one picture is under way at a time. While a dialog is open, or the page is hidden, the camera pauses.
 */

import { openDialog } from '../in_front.js'
import { codesOn, jpegOf } from './photo.js'
import { scaled, visible } from './places.js'
import { Sightings } from './sightings.js'
import { readingOf } from './worker.js'

/** @typedef {import('./types.js').Code} Code */

/** Milliseconds between two pictures that are read here, and through the service. */
const INTERVAL = 125
const SERVICE_INTERVAL = 250

/** The longest side of a picture for the service, in pixels: up to this it counts as small there. */
const LONGEST = 1280

/**
 * @param {HTMLVideoElement} video
 * @param {import('./types.js').Watcher} watcher
 * @param {AbortSignal} signal ends it
 */
export async function watch(video, { seen, shown, failed, recovered }, signal) {
  const read = 'WebAssembly' in window ? await readingOf(video, signal) : null
  const [readNext, interval] = read ? [read, INTERVAL] : [serviceReading(video, signal), SERVICE_INTERVAL]
  const sightings = new Sightings()
  let isFailing = false

  /** @param {number} time */
  async function look(time) {
    // a picture that is not read says nothing about missing codes
    if (rests()) return sightings.pause()
    const codes = await readNext()
    if (signal.aborted) return
    if (isFailing) recovered()
    isFailing = false
    if (rests()) return sightings.pause()
    const counted = sightings.see(visible(codes, video), time)
    if (counted) seen(counted)
    shown(sightings.inView(), (chosen) => seen(sightings.choose(chosen)))
  }

  while (!signal.aborted) {
    const begun = performance.now()
    try {
      await look(begun)
    } catch (error) {
      if (!isFailing && !signal.aborted) failed(error)
      isFailing = true
    }
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, begun + interval - performance.now())))
  }
  if (isFailing) recovered()
}

function rests() {
  return document.hidden || openDialog() !== undefined
}

/** @type {(video: HTMLVideoElement, signal: AbortSignal) => () => Promise<Code[]>} */
function serviceReading(video, signal) {
  const canvas = document.createElement('canvas')
  return async () => {
    const { videoWidth: width, videoHeight: height } = video
    const picture = await jpegOf(video, { width, height }, LONGEST, canvas)
    const codes = picture ? await codesOn(picture, 'quick', signal) : []
    return codes.map(({ text, type, position }) => ({ text, type, position: scaled(position, width / canvas.width) }))
  }
}
