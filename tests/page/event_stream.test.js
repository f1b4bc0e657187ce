import assert from 'node:assert/strict'
import { test } from 'node:test'

import { eventsOf } from '../../barcodesvc/page/script/import/sending.js'

/**
 * Return the events of a body that arrives in these pieces.
 *
 * @param {...(string | Uint8Array<ArrayBuffer>)} pieces
 */
async function events(...pieces) {
  const encoder = new TextEncoder()
  const body = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(typeof piece === 'string' ? encoder.encode(piece) : piece)
      controller.close()
    },
  })
  const found = []
  for await (const event of eventsOf(body)) found.push(event)
  return found
}

test('each event has its name and its data', async () => {
  const found = await events('event: progress\ndata: {"rows_read":7}\n\nevent: result\ndata: {"imported":7}\n\n')
  assert.deepEqual(found, [
    { event: 'progress', data: { rows_read: 7 } },
    { event: 'result', data: { imported: 7 } },
  ])
})

test('an event that arrives in pieces is whole, characters included', async () => {
  const bytes = new TextEncoder().encode('event: result\ndata: "Nüsse"\n\n')
  const found = await events(...[...bytes].map((byte) => Uint8Array.of(byte)))
  assert.deepEqual(found, [{ event: 'result', data: 'Nüsse' }])
})

test('a truncated event is ignored', async () => {
  assert.deepEqual(await events('event: progress\ndata: 1\n\nevent: result\ndata: {"impor'), [
    { event: 'progress', data: 1 },
  ])
})
