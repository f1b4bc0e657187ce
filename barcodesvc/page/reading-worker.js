/**
 * Reads codes on pictures in a separate thread, with zxing-cpp as WebAssembly, which is not part of the repository.
 *
 * Rule: its first message is whether it can read. After that each picture has one message, in their order: its codes, or null
 * if it could not be read.
 */

import { readPicture } from './script/camera/zxing.js'

const worker = /** @type {DedicatedWorkerGlobalScope} */ (/** @type {unknown} */ (self))
const HERE = new URL('library/zxing/', import.meta.url)

/** @type {(picture: object, options: object) => Promise<any[]>} */
let readBarcodes

worker.addEventListener('message', ({ data }) => {
  void readPicture(readBarcodes, data).then((codes) => worker.postMessage(codes))
})

load().then(
  () => worker.postMessage(true),
  () => worker.postMessage(false),
)

async function load() {
  const reader = await import(new URL('reader/index.js', HERE).href)
  const overrides = { locateFile: (/** @type {string} */ name) => new URL(name, HERE).href }
  await reader.prepareZXingModule({ overrides, fireImmediately: true })
  readBarcodes = reader.readBarcodes
}
