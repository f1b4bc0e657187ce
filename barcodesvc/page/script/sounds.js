/**
 * How a good scan and a bad one sound and feel: one high tone and a short buzz, two low tones and a long one.
 *
 * Rule: the tones are made, not loaded. A browser plays none before somebody has touched the page; then it stays silent.
 */

import { settings } from './settings.js'

/** @type {AudioContext | undefined} */
let audio

/** Say that a scan was good. */
export function good() {
  if (settings().sounds) tones([[1320, 0, 0.09]])
  navigator.vibrate?.(40)
}

/** Say that a scan was bad. */
export function bad() {
  if (settings().sounds)
    tones([
      [220, 0, 0.16],
      [180, 0.2, 0.28],
    ])
  navigator.vibrate?.([120, 60, 120])
}

/** @param {[frequency: number, start: number, seconds: number][]} list */
function tones(list) {
  audio ??= new AudioContext()
  if (audio.state === 'suspended') void audio.resume().catch(() => undefined)
  if (audio.state !== 'running') return
  for (const [frequency, start, seconds] of list) tone(audio, frequency, audio.currentTime + start, seconds)
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
