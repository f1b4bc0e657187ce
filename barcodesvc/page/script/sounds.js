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
export function good() {
  if (settings.sounds.value) tones([[1320, 0, 0.09]])
  buzz(40)
}

/** Signal a bad scan. */
export function bad() {
  if (settings.sounds.value) {
    tones([
      [220, 0, 0.16],
      [180, 0.2, 0.28],
    ])
  }
  buzz([120, 60, 120])
}

/** Signal a scan that no one has checked, as the service cannot be reached. */
export function unchecked() {
  if (settings.sounds.value) {
    tones([
      [660, 0, 0.09],
      [660, 0.16, 0.09],
    ])
  }
  buzz([40, 60, 40])
}

/** @param {VibratePattern} pattern browsers complain before the first touch on the page */
function buzz(pattern) {
  if (navigator.userActivation?.hasBeenActive ?? true) navigator.vibrate?.(pattern)
}

/** @param {[frequency: number, start: number, seconds: number][]} list */
function tones(list) {
  if (typeof AudioContext === 'undefined') return
  audio ??= new AudioContext()
  const context = audio
  const begun = performance.now()
  const play = () => {
    if (performance.now() - begun > LATE) return
    for (const [frequency, start, seconds] of list) tone(context, frequency, context.currentTime + start, seconds)
  }
  if (context.state === 'running') play()
  else context.resume().then(play, () => undefined)
}

/**
 * @param {AudioContext} context
 * @param {number} frequency in Hz
 * @param {number} start in seconds
 * @param {number} seconds
 */
function tone(context, frequency, start, seconds) {
  const oscillator = new OscillatorNode(context, { type: 'square', frequency })
  const volume = new GainNode(context, { gain: 0 })
  volume.gain.setValueAtTime(0.12, start)
  volume.gain.setTargetAtTime(0, start + seconds - 0.02, 0.008)
  oscillator.connect(volume).connect(context.destination)
  oscillator.start(start)
  oscillator.stop(start + seconds + 0.05)
}
