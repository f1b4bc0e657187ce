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

/** Set what a request waits for when the service refuses it without a session. @param {() => Promise<void>} open rejects if the person cannot be asked */
export function onUnauthorized(open) {
  openSession = open
}

/** Opens a session with the API key: a request that never waits for the key. */
export const SESSION = '/api/page/session'

/** `limit` replaces the usual time for a response. @typedef {{body?: unknown, query?: Record<string, unknown>, signal?: AbortSignal, isQuiet?: boolean, credentials?: RequestCredentials, limit?: AbortSignal}} Options */

/** Send a request to the API and return the `data` of its response. @type {(method: string, path: string, options?: Options) => Promise<any>} */
export async function ask(method, path, options = {}) {
  return (await envelope(method, path, options)).data
}

/** The same for the envelope in the response, with `pagination` if there is any. @type {(method: string, path: string, options?: Options) => Promise<any>} */
export async function envelope(method, path, options = {}) {
  const response = await fetched(method, path, options)
  return response.json().catch(lost)
}

/** The same for the file in the response. @type {(method: string, path: string, options?: Options) => Promise<Blob>} */
export async function file(method, path, options = {}) {
  const response = await fetched(method, path, options)
  return response.blob().catch(lost)
}

/**
 * Send a request to the API and return the response when it begins, if it is a success.
 *
 * @type {(method: string, path: string, options?: Options, headers?: Record<string, string>) => Promise<Response>}
 * @throws {Refusal | Unreachable}
 */
export async function fetched(method, path, options = {}, headers = {}) {
  for (;;) {
    const response = await send(method, path, options, headers)
    if (response.ok || response.status === 304) return response
    if (response.status !== 401 || path === SESSION || options.isQuiet) throw await refusal(response)
    await openSession().catch(lost)
  }
}

/** @type {(method: string, path: string, options: Options, headers: Record<string, string>) => Promise<Response>} */
function send(method, path, { body, query, signal, credentials = 'same-origin', limit }, headers) {
  const form = body instanceof FormData
  const patience = limit ?? AbortSignal.timeout(PATIENCE)
  return fetch(address(path, query), {
    method,
    credentials,
    body: form ? body : body === undefined ? null : JSON.stringify(body),
    headers: body === undefined || form ? headers : { ...headers, 'Content-Type': 'application/json' },
    signal: signal ? firstOf(signal, patience) : patience,
  }).catch((/** @type {Error} */ error) => {
    if (signal?.aborted) throw error
    return lost(error)
  })
}

/** Return a signal that aborts with the first of some; not all browsers of the page have `AbortSignal.any`. @param {AbortSignal[]} signals */
function firstOf(...signals) {
  const first = new AbortController()
  for (const each of signals) {
    if (each.aborted) first.abort(each.reason)
    each.addEventListener('abort', () => first.abort(each.reason), { once: true, signal: first.signal })
  }
  return first.signal
}

/** @param {Error} error what prevented the response, or the rest of it @returns {never} */
function lost(error) {
  throw new Unreachable(error.message, { cause: error })
}

/** Return an address with parameters; null, undefined and empty ones are left out. @param {string} path @param {Record<string, unknown>} [query] */
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
