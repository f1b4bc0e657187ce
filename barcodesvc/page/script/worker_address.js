/** Addresses of workers as this page's policy requires them: only the scripts named here may become code. */

/** The script that reads codes on pictures. */
export const READING_WORKER = new URL('../reading-worker.js', import.meta.url).href

const WORKERS = ['/service-worker.js', '/sending-worker.js', READING_WORKER]

const policy = /** @type {any} */ (window).trustedTypes?.createPolicy('service-worker', {
  createScriptURL(/** @type {string} */ wanted) {
    if (!WORKERS.includes(wanted)) throw new TypeError(`${wanted} is no worker of this page`)
    return wanted
  },
})

/**
 * @param {string} address
 * @returns {string}
 */
export function workerAddress(address) {
  return policy ? policy.createScriptURL(address) : address
}
