/**
 * Lets the page open without the network: its files are cached, the API never is.
 *
 * Rule: the files of one version belong together. They share an address prefix and are fetched all at once when the worker
 * is installed. Those of an earlier version are deleted when a later one takes over, unless a page of it is open: a page
 * names its version by a lock.
 */

const VERSION = '{assets}'
const FILES = ['/', '/watchdog.js', ...JSON.parse('{files}')]

/** Milliseconds that the page may take over the network. */
const PATIENCE = 3000

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self))

worker.addEventListener('install', (event) => {
  event.waitUntil(keep().then(() => worker.skipWaiting()))
})

worker.addEventListener('activate', (event) => {
  event.waitUntil(worker.clients.claim().then(forget))
})

worker.addEventListener('fetch', (event) => {
  const { method, url, mode } = event.request
  const { origin, pathname } = new URL(url)
  if (method !== 'GET' || origin !== worker.location.origin) return
  if (pathname.startsWith('/page/')) event.respondWith(kept(event.request))
  else if (mode === 'navigate' && pathname === '/') event.respondWith(fresh(event.request))
  else if (pathname === '/watchdog.js') event.respondWith(fresh(event.request))
})

/** Cache the files of this version; if another replica serves a page of another version, they do not fit together. */
async function keep() {
  const cache = await caches.open(VERSION)
  await cache.addAll(FILES)
  const shell = await cache.match('/')
  if ((await shell?.text())?.includes(VERSION)) return
  await caches.delete(VERSION)
  throw new Error('the page is of another version')
}

/** Delete the files of versions without an open page. Other caches at this address stay. */
async function forget() {
  const { held = [] } = (await worker.navigator.locks?.query()) ?? {}
  const used = [VERSION, ...held.map(({ name }) => name)]
  const versions = (await caches.keys()).filter((name) => name.startsWith('/page/'))
  await Promise.all(versions.filter((name) => !used.includes(name)).map((name) => caches.delete(name)))
}

/** @param {Request} request a file of some version, which never changes */
async function kept(request) {
  return (await caches.match(request)) ?? fetch(request)
}

/**
 * Return the page itself, or its watchdog: from the network, where it may be newer, or else from the cache. The cache also
 * serves if the network is too slow for a user, or if a gateway responds that the service is gone.
 *
 * @param {Request} request
 */
async function fresh(request) {
  const found = await (await caches.open(VERSION)).match(request.mode === 'navigate' ? '/' : request)
  if (!found) return fetch(request)
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE, found))
  const response = fetch(request).then(
    (given) => (given.status >= 500 ? found : given),
    () => found,
  )
  return Promise.race([response, late])
}
