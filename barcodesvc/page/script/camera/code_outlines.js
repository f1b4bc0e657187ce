/**
 * Outlines of the codes in the picture of a camera: what has counted, and what can be tapped instead.
 *
 * Rule: the drawing covers the picture in the same way as the video, so it is in pixels of the video.
 */

import { keyed, svg } from '../dom.js'
import { text } from '../language.js'

/** @typedef {import('./sightings.js').Sighting} Sighting */

/** @param {HTMLVideoElement} video */
export function codeOutlines(video) {
  const node = svg('svg', { class: 'outlines', preserveAspectRatio: 'xMidYMid slice' })
  return {
    node,
    /**
     * @param {Sighting[]} inView
     * @param {(chosen: Sighting) => void} choose
     */
    show(inView, choose) {
      node.setAttribute('viewBox', `0 0 ${video.videoWidth} ${video.videoHeight}`)
      keyed(
        node,
        inView,
        ({ key, hasCounted }) => `${hasCounted} ${key}`,
        (sighting, existing) => outlineOf(sighting, existing ?? drawn(sighting, choose)),
      )
    },
  }
}

/**
 * @param {Sighting} sighting
 * @param {(chosen: Sighting) => void} choose
 */
function drawn(sighting, choose) {
  if (sighting.hasCounted) return svg('g', { class: 'counted' }, svg('polygon'))
  return svg(
    'g',
    {
      role: 'button',
      tabindex: 0,
      'aria-label': text('camera.scan', { code: sighting.code.text }),
      onclick: () => choose(sighting),
      onkeydown: (event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return
        event.preventDefault()
        choose(sighting)
      },
    },
    svg('polygon', { class: 'target' }),
    svg('polygon'),
  )
}

/**
 * @param {Sighting} sighting
 * @param {Element} outline
 */
function outlineOf({ code }, outline) {
  const points = code.position.map(({ x, y }) => `${Math.round(x)},${Math.round(y)}`).join(' ')
  for (const shape of outline.children) shape.setAttribute('points', points)
  return outline
}
