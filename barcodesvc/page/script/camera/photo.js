/** Reads photos through the service, and the video of a camera where browsers have no WebAssembly. */

import { ask, Refusal, Unreachable } from '../api.js'
import { Dialog, openDialog, showDialog } from '../in_front.js'
import { text } from '../language.js'
import { Button, errorText, html } from '../ui.js'
import { middleOf, scaled } from './places.js'

/** @typedef {import('./types.js').PhotoCode} PhotoCode */

/** The longest side in pixels of a photo, as phones take larger ones than the service accepts, and of what is small there. */
const LONGEST = 2560
const SMALL = 1280

/** Read a photo; if a dialog is open by then, it is dropped. @type {(photo: Blob, signal: AbortSignal, seen: import('./types.js').Seen, say: import('./types.js').Say) => Promise<void>} */
export async function readPhoto(photo, signal, seen, say) {
  const codes = await codesOnPhoto(photo, signal).catch((error) => {
    const more = error instanceof Unreachable ? ` ${text('camera.unread')}` : ''
    if (!signal.aborted) say('bad', errorText(error) + more)
  })
  if (!codes || signal.aborted) return
  if (openDialog()) return say('bad', text('camera.dropped'))
  if (!codes.length) return say('bad', text('refused.no_code_on_image'))
  const code = codes.length > 1 ? await chosen(codes, signal) : codes[0]
  if (code) seen(code.text, code.type)
  else if (!signal.aborted) say('ready', text('scan.ready'))
}

/** Return the codes in a photo, the nearest to the centre first, each text once. @type {(photo: Blob, signal: AbortSignal) => Promise<PhotoCode[]>} */
async function codesOnPhoto(photo, signal) {
  const bitmap = await createImageBitmap(photo).catch(() => null)
  const canvas = document.createElement('canvas')
  const smaller = bitmap && (await jpegOf(bitmap, bitmap, LONGEST, canvas))
  bitmap?.close()
  const distance = (/** @type {PhotoCode} */ { position }) => {
    const { x, y } = middleOf(position)
    return Math.hypot(x - canvas.width / 2, y - canvas.height / 2)
  }
  const codes = await codesOn(smaller ?? photo, 'thorough', signal)
  codes.sort((one, other) => distance(one) - distance(other))
  return codes.filter((code, index) => codes.findIndex((other) => other.text === code.text) === index)
}

/** Return the codes that the service reads: quickly in a video, of which the next picture is a better second look. @type {(photo: Blob, effort: 'quick' | 'thorough', signal: AbortSignal) => Promise<PhotoCode[]>} */
async function codesOn(photo, effort, signal) {
  const body = new FormData()
  body.append('effort', effort)
  body.append('image', photo, 'photo')
  const { codes = [] } = await ask('POST', '/api/codes/decode', { body, signal }).catch((error) => {
    if (error instanceof Refusal && error.code === 'PRODUCT_NOT_FOUND') return error.details
    throw error
  })
  return codes.map((/** @type {any} */ { symbology, gs1, product, ...code }) => ({
    text: code.text,
    type: symbology,
    position: code.position,
    label: asOnLabel(code.text, gs1?.elements ?? {}),
    product: product?.description ?? '',
  }))
}

/** Return a picture as a JPEG whose longer side has at most this many pixels, or null if there is no picture yet. @type {(source: CanvasImageSource, size: {width: number, height: number}, longest: number, canvas: HTMLCanvasElement) => Promise<Blob | null>} */
function jpegOf(source, { width, height }, longest, canvas) {
  const scale = Math.min(1, longest / Math.max(width, height, 1))
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  canvas.getContext('2d')?.drawImage(source, 0, 0, canvas.width, canvas.height)
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.85))
}

/** Return what reads the picture of a video. @type {(video: HTMLVideoElement, signal: AbortSignal) => () => Promise<import('./types.js').Code[]>} */
export function serviceReading(video, signal) {
  const canvas = document.createElement('canvas')
  return async () => {
    const { videoWidth: width, videoHeight: height } = video
    const picture = await jpegOf(video, { width, height }, SMALL, canvas)
    const codes = picture ? await codesOn(picture, 'quick', signal) : []
    return codes.map((code) => ({ ...code, position: scaled(code.position, width / canvas.width) }))
  }
}

/** Return a scanned text as people read it: its GS1 elements, the values of application identifiers (AI), in their order. @type {(scanned: string, elements: Record<string, string>) => string} */
function asOnLabel(scanned, elements) {
  const placed = Object.entries(elements).map(([ai, value]) => ({
    at: scanned.indexOf(ai + value),
    shown: `(${ai})${value}`,
  }))
  placed.sort((one, other) => one.at - other.at)
  return placed.map(({ shown }) => shown).join('') || scanned
}

/** Ask which of several codes is meant; return it, or undefined. @type {(codes: PhotoCode[], signal: AbortSignal) => Promise<PhotoCode | undefined>} */
function chosen(codes, signal) {
  return new Promise((resolve) => {
    const close = showDialog(() => html`<${Choice} codes=${codes} choose=${choose} />`)
    /** @param {PhotoCode} [code] */
    function choose(code) {
      resolve(code)
      close()
    }
    signal.addEventListener('abort', () => choose())
  })
}

/** @param {{codes: PhotoCode[], choose: (code?: PhotoCode) => void}} props */
function Choice({ codes, choose }) {
  const cancel = () => choose()
  return html`
    <${Dialog} title=${text('camera.several')} closed=${cancel} data-stays>
      <div class="stack">
        ${codes.map(
          (code) => html`
            <button type="button" class="found-code" onclick=${() => choose(code)}>
              ${code.product && html`<bdi>${code.product}</bdi>`}
              <bdi class="code">${code.label}</bdi>
            </button>`,
        )}
        <${Button} kind="text" onclick=${cancel}>${text('cancel')}<//>
      </div>
    <//>`
}
