/**
 * The client of the service's API: one request, one response, errors in the service's words.
 *
 * Rule: whether a response came at all is separate from what it says. `Unreachable` means that the request may or may
 * not have been carried out, so only a request that is safe to repeat is sent again. A request that the service refuses
 * without its API key waits until a person has entered the key, which the page's start arranges (`onUnauthorized`). A quiet
 * one is refused.
 */

/**
 * Limits and names that the service has put into the document, so that a field accepts what the service does: lengths of
 * texts in characters, numbers of entries, lengths on paper in mm. A worker has no document, and so no limits.
 *
 * @type {Readonly<import('./types.js').Limits>}
 */
export const LIMITS = Object.freeze(JSON.parse(globalThis.document?.documentElement.dataset?.['limits'] ?? '{}'))

/** How long a response may take, in milliseconds; a sleeping phone radio takes seconds. */
const PATIENCE = 20_000

/** No response came: the network or the service failed, or the time was up. */
export class Unreachable extends Error {}

/** A required module does not load; its message says why. */
export class NotLoaded extends Error {}

/** The service refused the request; `code`, `message` and `details` are those of its envelope. */
export class Refusal extends Error {
  /**
   * @param {number} status
   * @param {{code?: string, message?: string, details?: any}} error
   * @param {number} [retryAfter] seconds after which the service asks for a retry
   */
  constructor(status, error, retryAfter = 0) {
    super(error.message ?? `HTTP ${status}`)
    this.status = status
    this.code = error.code ?? ''
    this.details = error.details ?? {}
    this.retryAfter = retryAfter
  }
}

/** Obtains a session; set once, when the page starts. @type {() => Promise<void>} */
let openSession = () => Promise.reject(new Unreachable('no session'))

/**
 * Set what a request waits for when the service refuses it without a session.
 *
 * @param {() => Promise<void>} open rejects if the person cannot be asked
 */
export function onUnauthorized(open) {
  openSession = open
}

/** Opens a session with the API key: a request that never waits for the key. */
export const SESSION = '/api/page/session'

/**
 * @typedef {{body?: unknown, query?: Record<string, unknown>, signal?: AbortSignal, isQuiet?: boolean, credentials?: RequestCredentials}} Options
 * of a request; a quiet one is refused without the key
 */

/**
 * Send a request to the API and return the `data` of its response.
 *
 * @param {string} method
 * @param {string} path
 * @param {Options} [options]
 * @returns {Promise<any>}
 * @throws {Refusal | Unreachable}
 */
export async function ask(method, path, options = {}) {
  return (await envelope(method, path, options)).data
}

/**
 * Send a request to the API and return the envelope in its response, with `pagination` if there is any.
 *
 * @param {string} method
 * @param {string} path
 * @param {Options} [options]
 * @returns {Promise<any>}
 * @throws {Refusal | Unreachable}
 */
export async function envelope(method, path, options = {}) {
  const response = await fetched(method, path, options)
  return response.json().catch(lost)
}

/**
 * Send a request to the API and return the file in its response.
 *
 * @param {string} method
 * @param {string} path
 * @param {Options & {limit?: AbortSignal}} [options]
 * `limit` replaces the usual timeout
 * @returns {Promise<Blob>}
 * @throws {Refusal | Unreachable}
 */
export async function file(method, path, options = {}) {
  const response = await fetched(method, path, options, {}, options.limit)
  return response.blob().catch(lost)
}

/**
 * Send a request to the API and return the response when it begins, if it is a success.
 *
 * @param {string} method
 * @param {string} path
 * @param {Options} options
 * @param {Record<string, string>} [headers]
 * @param {AbortSignal} [limit] ends the waiting
 * @returns {Promise<Response>}
 * @throws {Refusal | Unreachable}
 */
export async function fetched(method, path, options, headers = {}, limit = undefined) {
  for (;;) {
    const response = await sent(method, path, options, headers, limit ?? AbortSignal.timeout(PATIENCE))
    if (response.ok || response.status === 304) return response
    if (response.status !== 401 || path === SESSION || options.isQuiet) throw await refusal(response)
    await openSession().catch(lost)
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {Options} options
 * @param {Record<string, string>} headers
 * @param {AbortSignal} limit
 */
function sent(method, path, { body, query, signal, credentials = 'same-origin' }, headers, limit) {
  const form = body instanceof FormData
  return fetch(address(path, query), {
    method,
    credentials,
    body: form ? body : body === undefined ? null : JSON.stringify(body),
    headers: body === undefined || form ? headers : { ...headers, 'Content-Type': 'application/json' },
    signal: signal ? firstOf(signal, limit) : limit,
  }).catch((/** @type {Error} */ error) => {
    if (signal?.aborted) throw error
    return lost(error)
  })
}

/**
 * Return a signal that aborts with the first of two. `AbortSignal.any` is not in all browsers that the page supports.
 *
 * @param {AbortSignal} signal
 * @param {AbortSignal} limit
 */
function firstOf(signal, limit) {
  const first = new AbortController()
  for (const each of [signal, limit]) {
    if (each.aborted) first.abort(each.reason)
    each.addEventListener('abort', () => first.abort(each.reason), { once: true, signal: first.signal })
  }
  return first.signal
}

/**
 * @param {Error} error what prevented the response, or the rest of it
 * @returns {never}
 */
function lost(error) {
  throw new Unreachable(error.message, { cause: error })
}

/**
 * @param {string} path
 * @param {Record<string, unknown>} [query] parameters; null, undefined and empty ones are left out
 */
export function address(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== '')
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text ? `${path}?${text}` : path
}

/** @param {Response} response one that is not from this service, such as a gateway's, is not a refusal */
async function refusal(response) {
  const body = await response.json().catch(() => null)
  if (!body?.error) return new Unreachable(`HTTP ${response.status}`)
  return new Refusal(response.status, body, Number(response.headers.get('Retry-After')))
}
