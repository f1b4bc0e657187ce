import assert from 'node:assert/strict'
import { test } from 'node:test'

/** What the worker says next. @type {unknown[]} */
const messages = []

class PretendedWorker {
  /** @type {(message: {data: unknown}) => void} */
  onmessage = () => {}

  constructor() {
    this.postMessage()
  }

  postMessage() {
    setTimeout(() => this.onmessage({ data: messages.shift() }))
  }
}

const drawing = new Proxy(
  {},
  { get: (_, name) => () => (name === 'getImageData' ? { data: new Uint8ClampedArray(4) } : null), set: () => true },
)
const document = { createElement: () => ({ getContext: () => drawing }) }
Object.assign(globalThis, { window: {}, document, Worker: PretendedWorker })
const { readingOf } = await import('../../barcodesvc/page/script/camera/worker_reading.js')

const video = /** @type {HTMLVideoElement} */ ({ videoWidth: 40, videoHeight: 30 })
const CORNER = { x: 1, y: 2 }
const position = { topLeft: CORNER, topRight: CORNER, bottomRight: CORNER, bottomLeft: CORNER }
const CODE = {
  text: 'A-1',
  format: 'QRCode',
  symbology: 'QRCode',
  symbologyIdentifier: ']Q1',
  contentType: 'Text',
  position,
}

test('a picture that the worker cannot read is an error, and the next one is read', async () => {
  messages.push(true, null, [CODE], [], [])
  const read = await readingOf(video, new AbortController().signal)
  assert.ok(read)
  await assert.rejects(read())
  assert.deepEqual(
    (await read()).map(({ text }) => text),
    ['A-1'],
  )
})
