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
Object.assign(globalThis, { window: { WebAssembly }, document, Worker: PretendedWorker })
const { turnedBack, workerReading } = await import('../../barcodesvc/page/script/camera/worker.js')

const video = /** @type {HTMLVideoElement} */ ({ videoWidth: 40, videoHeight: 30 })
const CODE = { text: 'A-1', type: 'QRCode', position: [1, 2, 3, 4].map((x) => ({ x, y: 2 })) }

test('a picture that the worker cannot read is an error, and the next one is read', async () => {
  messages.push(true, null, [CODE], [], [])
  const read = await workerReading(video, new AbortController().signal)
  assert.ok(read)
  await assert.rejects(read())
  assert.deepEqual(
    (await read()).map(({ text }) => text),
    ['A-1'],
  )
})

test('a point of a turned copy is found in the picture', () => {
  const back = turnedBack({ x: 50, y: 90 }, 90, { width: 100, height: 80 })
  assert.deepEqual({ x: Math.round(back.x), y: Math.round(back.y) }, { x: 100, y: 40 })
  assert.deepEqual(turnedBack({ x: 7, y: 9 }, 0, { width: 100, height: 80 }), { x: 7, y: 9 })
})
