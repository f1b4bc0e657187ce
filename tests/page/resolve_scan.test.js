import './pretended_document.js'
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { recall, resolveOrRecall } from '../../barcodesvc/page/script/resolve_scan.js'

/** Let all that is due happen, such as loading a module, without time going by. */
const settle = () => recall('A-1')

test('what the device remembers is asked for when a response is late, and not once it is there', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const product = { id: 1, product_code: 'A-1', description: 'Blue pen' }
  /** @type {(response: Response) => void} */
  let respond = () => undefined
  context.mock.method(globalThis, 'fetch', () => new Promise((resolve) => (respond = resolve)))
  const { signal } = new AbortController()
  for (const waits of [1000, 999]) {
    /** @type {unknown[]} */
    const told = []
    const found = resolveOrRecall('A-1', signal, undefined, (known) => told.push(known))
    context.mock.timers.tick(waits)
    await settle()
    respond(Response.json({ data: { product, inventory: { current_level: 5 } } }))
    assert.deepEqual(await found, { ...product, level: 5, pack: 1 })
    context.mock.timers.tick(1000)
    await settle()
    assert.deepEqual(told, waits === 1000 ? [null] : [])
  }
})
