/**
 * Reads codes on pictures in a separate thread, with zxing-cpp as WebAssembly, which is not part of the repository.
 *
 * Rule: its first message is whether it can read. After that each picture has one answer, in their order: its codes.
 */

const worker = /** @type {DedicatedWorkerGlobalScope} */ (/** @type {unknown} */ (self))
const HERE = new URL('zxing/', import.meta.url)

/** @type {(picture: object, options: object) => Promise<any[]>} */
let readBarcodes

worker.addEventListener('message', ({ data: { picture, options } }) => {
  void readBarcodes(picture, options).then((found) => worker.postMessage(found.map(plain)))
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

/**
 * Return what the page needs of a code: without its bytes and its symbol.
 *
 * @param {any} found
 */
function plain({ text, format, symbology, symbologyIdentifier, contentType, position }) {
  return { text, format, symbology, symbologyIdentifier, contentType, position }
}
