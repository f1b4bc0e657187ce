/**
 * How scans sound and feel: a good one is one high tone and a short buzz, a bad one two low tones and a long buzz, and one
 * that is not checked two equal tones between these, and two short buzzes.
 *
 * Rule: the tones are generated, not loaded. A browser plays none before the first touch on the page; until then it is silent.
 */

import { settings } from './settings.js'

/** Milliseconds after which a delayed sound is no longer useful. */
const LATE = 300

/** @type {AudioContext | undefined} */
let audio

/** Signal a good scan. */
export const good = () => signal(40, [1320, 0, 0.09])

/** Signal a bad scan. */
export const bad = () => signal([120, 60, 120], [220, 0, 0.16], [180, 0.2, 0.28])

/** Signal a scan that no one has checked, as the service cannot be reached. */
export const unchecked = () => signal([40, 60, 40], [660, 0, 0.09], [660, 0.16, 0.09])

/** @param {VibratePattern} buzz @param {...[frequency: number, start: number, seconds: number]} tones in Hz, and seconds */
function signal(buzz, ...tones) {
  // browsers complain before the first touch on the page
  if (navigator.userActivation?.hasBeenActive ?? true) navigator.vibrate?.(buzz)
  if (!settings.sounds.value || typeof AudioContext === 'undefined') return
  const context = (audio ??= new AudioContext())
  const begun = performance.now()
  const play = () => {
    if (performance.now() - begun < LATE) for (const tone of tones) sound(context, ...tone)
  }
  if (context.state === 'running') play()
  else context.resume().then(play, () => undefined)
}

/** @param {AudioContext} context @param {number} frequency @param {number} after @param {number} seconds */
function sound(context, frequency, after, seconds) {
  const start = context.currentTime + after
  const oscillator = new OscillatorNode(context, { type: 'square', frequency })
  const volume = new GainNode(context, { gain: 0 })
  volume.gain.setValueAtTime(0.12, start)
  volume.gain.setTargetAtTime(0, start + seconds - 0.02, 0.008)
  oscillator.connect(volume).connect(context.destination)
  oscillator.start(start)
  oscillator.stop(start + seconds + 0.05)
}
