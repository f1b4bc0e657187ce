/**
 * The client of the service's API: one request, one answer, errors as the service words them.
 *
 * Rule: whether an answer came at all is told apart from what it says. `Unreachable` means that nobody knows whether
 * the request was carried out, so only a request that is safe to repeat is sent again. One that the service does not
 * carry out before it has its API key waits until somebody has given it.
 */

import { serviceClock } from './service_clock.js'

/** How long an answer may take, in milliseconds; a phone's radio that sleeps takes seconds. */
const PATIENCE = 20_000

/** No answer came: the network, the service or the patience ended. */
export class Unreachable extends Error {}

/** The service answered that it does not do this; `code`, `message` and `details` are those of its envelope. */
export class Refusal extends Error {
  /**
   * @param {number} status
   * @param {{code?: string, message?: string, details?: any}} error
   * @param {number} [retryAfter] seconds after which the service asks to be asked again
   */
  constructor(status, error, retryAfter = 0) {
    super(error.message ?? `HTTP ${status}`)
    this.status = status
    this.code = error.code ?? ''
    this.details = error.details ?? {}
    this.retryAfter = retryAfter
  }
}

/** Where a session is opened with the API key, which is the one request that does not wait for it. */
export const SESSION = '/api/page/session'

/**
 * Ask the API and return the `data` of its answer.
 *
 * @param {string} method
 * @param {string} path
 * @param {{body?: unknown, query?: Record<string, unknown>, signal?: AbortSignal}} [options]
 * @returns {Promise<any>}
 * @throws {Refusal | Unreachable}
 */
export async function ask(method, path, options = {}) {
  return (await answer(method, path, options)).data
}

/**
 * Ask the API and return its whole answer, with `pagination` where there is any.
 *
 * @param {string} method
 * @param {string} path
 * @param {{body?: unknown, query?: Record<string, unknown>, signal?: AbortSignal}} [options]
 * @returns {Promise<any>}
 * @throws {Refusal | Unreachable}
 */
export async function answer(method, path, options = {}) {
  const response = await fetched(method, path, options)
  return response.json().catch(lost)
}

/**
 * Ask the API and return the file that it answers with.
 *
 * @param {string} method
 * @param {string} path
 * @param {{body?: unknown, query?: Record<string, unknown>, signal?: AbortSignal}} [options]
 * @returns {Promise<Blob>}
 * @throws {Refusal | Unreachable}
 */
export async function file(method, path, options = {}) {
  const response = await fetched(method, path, options)
  return response.blob().catch(lost)
}

/**
 * Ask the API and return the answer as it begins, once it is a success.
 *
 * @param {string} method
 * @param {string} path
 * @param {{body?: unknown, query?: Record<string, unknown>, signal?: AbortSignal}} options
 * @param {Record<string, string>} [headers]
 * @param {AbortSignal} [limit] ends the waiting
 * @returns {Promise<Response>}
 * @throws {Refusal | Unreachable}
 */
export async function fetched(method, path, options, headers = {}, limit = undefined) {
  for (;;) {
    const asked = Date.now()
    const response = await sent(method, path, options, headers, limit ?? AbortSignal.timeout(PATIENCE))
    serviceClock.learn(response.headers, asked, Date.now())
    if (response.ok) return response
    if (response.status !== 401 || path === SESSION) throw await refusal(response)
    const { keyGiven } = await import('./key.js').catch(lost)
    await keyGiven()
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {{body?: unknown, query?: Record<string, unknown>, signal?: AbortSignal}} options
 * @param {Record<string, string>} headers
 * @param {AbortSignal} limit
 */
function sent(method, path, { body, query, signal }, headers, limit) {
  const form = body instanceof FormData
  return fetch(address(path, query), {
    method,
    body: form ? body : body === undefined ? null : JSON.stringify(body),
    headers: body === undefined || form ? headers : { ...headers, 'Content-Type': 'application/json' },
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  }).catch((/** @type {Error} */ error) => {
    if (signal?.aborted) throw error
    return lost(error)
  })
}

/**
 * @param {Error} error what kept the answer, or the rest of it, from coming
 * @returns {never}
 */
function lost(error) {
  throw new Unreachable(error.message)
}

/**
 * @param {string} path
 * @param {Record<string, unknown>} [query] parameters; those that are null, undefined or empty are left out
 */
export function address(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== '')
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text ? `${path}?${text}` : path
}

/** @param {Response} response one that is not of this service, as of a gateway before it, is no refusal */
async function refusal(response) {
  const envelope = await response.json().catch(() => null)
  if (!envelope?.error) return new Unreachable(`HTTP ${response.status}`)
  return new Refusal(response.status, envelope, Number(response.headers.get('Retry-After')))
}
