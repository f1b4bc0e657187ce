/**
 * Reads server-sent events from the body of a response: `EventSource` cannot send a file (HTML standard, 9.2).
 *
 * Rule: an event counts when its blank line has come. A truncated one is ignored.
 */

import { fetched, Refusal, Unreachable } from '../api.js'

/** @typedef {{event: string, data: any}} StreamedEvent the data is JSON */

/**
 * Send a request to the API and yield the events of its response as they come, without a timeout; `signal` ends them.
 *
 * @param {string} method
 * @param {string} path
 * @param {{body?: unknown, query?: Record<string, unknown>, signal?: AbortSignal}} [options]
 * @returns {AsyncGenerator<StreamedEvent>}
 * @throws {Refusal | Unreachable}
 */
export async function* events(method, path, { signal = new AbortController().signal, ...options } = {}) {
  const { body } = await fetched(method, path, { ...options, signal }, { Accept: 'text/event-stream' }, signal)
  try {
    if (body) yield* eventsOf(body)
  } catch (error) {
    if (signal.aborted || error instanceof Refusal) throw error
    throw new Unreachable(/** @type {Error} */ (error).message)
  }
}

/**
 * Yield the events of a body.
 *
 * @param {ReadableStream<Uint8Array>} body
 * @returns {AsyncGenerator<StreamedEvent>}
 */
export async function* eventsOf(body) {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) yield eventOf(block)
  }
}

/**
 * @param {string} block the lines of one event
 * @returns {StreamedEvent}
 */
function eventOf(block) {
  const lines = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line))
  const fieldsOf = (/** @type {string} */ name) => lines.flatMap((line) => (line?.[1] === name ? [line[2] ?? ''] : []))
  return { event: fieldsOf('event').at(-1) ?? 'message', data: JSON.parse(fieldsOf('data').join('\n') || 'null') }
}
