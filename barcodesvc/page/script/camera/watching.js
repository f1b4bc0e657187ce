/**
 * Watches the picture of a camera for codes.
 *
 * Rule: one picture is under way at a time. While a dialog is open, or the page is hidden, the camera pauses.
 */

import { openDialog } from '../dialogs.js'
import { codeReader } from './code_reader.js'
import { inArea, isInside, middleOf, visiblePart } from './places.js'
import { Sightings } from './sightings.js'

/** @typedef {import('./sightings.js').SeenCode} SeenCode */
/** @typedef {import('./sightings.js').Sighting} Sighting */

/**
 * @typedef {object} Watcher
 * @property {(code: SeenCode) => void} seen called with each code that counts
 * @property {(inView: Sighting[], choose: (chosen: Sighting) => void) => void} shown called for each picture, with the
 * codes in view, and what counts one of them
 * @property {(error: unknown) => void} failed called when pictures begin to fail, once until one is read again
 * @property {() => void} recovered called when one is read again, or the camera is switched off
 */

/** @param {HTMLVideoElement} video @param {Watcher} watcher @param {AbortSignal} signal ends it */
export async function watch(video, { seen, shown, failed, recovered }, signal) {
  const reader = await codeReader(video, signal)
  const sightings = new Sightings()
  let isFailing = false

  /** @param {number} time */
  async function look(time) {
    if (rests()) return sightings.pause()
    const codes = await reader.read()
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
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, begun + reader.interval - performance.now())))
  }
  if (isFailing) recovered()
}

/** Whether reading is paused: a picture that is not read says nothing about missing codes. */
function rests() {
  return document.hidden || openDialog() !== undefined
}

/**
 * Return the codes in the part of the picture that a person sees.
 * @param {import('./zxing_codes.js').Code[]} codes @param {HTMLVideoElement} video @returns {SeenCode[]}
 */
function visible(codes, video) {
  const part = visiblePart(video)
  return codes
    .filter(({ position }) => isInside(middleOf(position), part))
    .map((code) => ({ ...code, ...inArea(code.position, part) }))
}
