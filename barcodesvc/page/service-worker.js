/**
 * Lets the page open without the network: its files are kept, the API is never.
 *
 * Rule: the files of one version belong together. They stand under an address of their own, are fetched all at once
 * when the worker is installed, and those of earlier versions go when it takes over.
 */

const VERSION = '{assets}'
const FILES = ['/', ...JSON.parse('{files}')]

/** Milliseconds that the page may take to come over the network. */
const PATIENCE = 3000

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self))

worker.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(VERSION)
      .then((cache) => cache.addAll(FILES))
      .then(() => worker.skipWaiting()),
  )
})

worker.addEventListener('activate', (event) => {
  const forget = async () => {
    const versions = await caches.keys()
    await Promise.all(versions.filter((name) => name !== VERSION).map((name) => caches.delete(name)))
    await worker.clients.claim()
  }
  event.waitUntil(forget())
})

worker.addEventListener('fetch', (event) => {
  const { method, url, mode } = event.request
  const { origin, pathname } = new URL(url)
  if (method !== 'GET' || origin !== worker.location.origin) return
  if (pathname.startsWith(VERSION)) event.respondWith(kept(event.request))
  else if (mode === 'navigate' && pathname === '/') event.respondWith(fresh(event.request))
})

/** @param {Request} request a file of this version, which never changes */
async function kept(request) {
  return (await caches.match(request)) ?? fetch(request)
}

/**
 * Return the page itself: the network's, which may be a newer version, or else the kept one. That is also taken where the
 * network is too slow for whoever stands there, and where a gateway answers that the service is gone.
 *
 * @param {Request} request
 */
async function fresh(request) {
  const found = await caches.match('/')
  if (!found) return fetch(request)
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE, found))
  const answer = fetch(request).then(
    (given) => (given.status >= 500 ? found : given),
    () => found,
  )
  return Promise.race([answer, late])
}
