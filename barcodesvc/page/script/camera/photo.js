/** Reads the codes on a photo through the service. */

import { ask, Refusal } from '../api.js'
import { middleOf } from './places.js'

/** The longest side of a photo for the service, in pixels: phones take larger ones than it accepts. */
const LONGEST = 2560

/** What a scanner sends and no label shows: the AIM identifier, and what ends an element. */
const IDENTIFIER = /^\][A-Za-z]\w/
const SEPARATOR = /^\p{Cc}/u

/** @typedef {{text: string, label: string, type: string, product: string, position: {x: number, y: number}[]}} PhotoCode */

/**
 * Return the codes in a photo, after scaling it down; the nearest to the centre first, each text once.
 * @param {Blob} photo @param {AbortSignal} signal @returns {Promise<PhotoCode[]>}
 * @throws {Refusal | import('../api.js').Unreachable}
 */
export async function codesOnPhoto(photo, signal) {
  const bitmap = await createImageBitmap(photo).catch(() => null)
  const canvas = document.createElement('canvas')
  const smaller = bitmap && (await jpegOf(bitmap, bitmap, LONGEST, canvas))
  bitmap?.close()
  return fromTheMiddle(await codesOn(smaller ?? photo, 'thorough', signal), canvas)
}

/**
 * @param {Blob} photo
 * @param {'quick' | 'thorough'} effort how hard the service looks: quick for a video, of which the next picture is a
 * better second look; thorough for a photo, so that a hard code next to an easy one is found, too
 * @param {AbortSignal} [signal]
 * @returns {Promise<PhotoCode[]>} `label` is the text as people read it, `product` its description
 */
export async function codesOn(photo, effort, signal) {
  const body = new FormData()
  body.append('effort', effort)
  body.append('image', photo, 'photo')
  const found = await ask('POST', '/api/codes/decode', { body, ...(signal ? { signal } : {}) }).catch((error) => {
    if (error instanceof Refusal && error.code === 'PRODUCT_NOT_FOUND') return error.details
    throw error
  })
  return (found.codes ?? []).map((/** @type {any} */ { text, symbology, gs1, product, position }) => {
    const label = asOnLabel(text, gs1?.elements ?? {})
    return { text, label, type: symbology, product: product?.description ?? '', position }
  })
}

/** @param {PhotoCode[]} codes @param {{width: number, height: number}} picture */
function fromTheMiddle(codes, { width, height }) {
  const distance = (/** @type {PhotoCode} */ { position }) => {
    const { x, y } = middleOf(position)
    return Math.hypot(x - width / 2, y - height / 2)
  }
  const sorted = [...codes].sort((one, other) => distance(one) - distance(other))
  return sorted.filter(({ text }, index) => sorted.findIndex((code) => code.text === text) === index)
}

/**
 * Return a picture as a JPEG whose longer side has at most this many pixels, or null if there is no picture yet.
 * @param {CanvasImageSource} source @param {{width: number, height: number}} size of the source @param {number} longest
 * @param {HTMLCanvasElement} canvas to draw on @returns {Promise<Blob | null>}
 */
export function jpegOf(source, { width, height }, longest, canvas) {
  const scale = Math.min(1, longest / Math.max(width, height, 1))
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  canvas.getContext('2d')?.drawImage(source, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.85))
}

/**
 * Return a scanned text with its application identifiers (AI) in brackets; unchanged if it has anything but the elements.
 * @param {string} text
 * @param {Record<string, string>} elements the value of each AI, as the service has understood the text
 */
export function asOnLabel(text, elements) {
  const label = []
  let rest = text.replace(IDENTIFIER, '')
  while (rest) {
    // no AI is the beginning of another, so at most one fits
    const found = Object.entries(elements).find(([ai, value]) => rest.startsWith(ai + value))
    if (!found) return text
    label.push(`(${found[0]})${found[1]}`)
    rest = rest.slice(found.join('').length).replace(SEPARATOR, '')
  }
  return label.join('') || text
}
