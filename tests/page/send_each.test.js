import assert from 'node:assert/strict'
import { test } from 'node:test'

import { sendEach } from '../../barcodesvc/page/script/products/send_each.js'

const ITEMS = Array.from({ length: 20 }, (_, index) => index)

test('each item is sent once, few at a time, and failures are kept with their errors', async () => {
  /** @type {number[]} */
  const seen = []
  let [underWay, most] = [0, 0]
  const send = async (/** @type {number} */ item) => {
    most = Math.max(most, ++underWay)
    await Promise.resolve()
    underWay -= 1
    seen.push(item)
    if (item === 7) throw new Error('refused')
  }
  /** @type {number[]} */
  const progress = []
  const failed = await sendEach(ITEMS, send, new AbortController().signal, (done) => progress.push(done))
  assert.deepEqual(
    failed.map(({ item, error }) => [item, String(error)]),
    [[7, 'Error: refused']],
  )
  assert.deepEqual(
    seen.sort((one, other) => one - other),
    ITEMS,
  )
  assert.equal(most, 4)
  assert.equal(progress.at(-1), 20)
})

test('nothing more is sent once the view is left', async () => {
  const ended = new AbortController()
  let sent = 0
  const failed = await sendEach(ITEMS, () => Promise.resolve(++sent).then(() => ended.abort()), ended.signal)
  assert.equal(sent, 4)
  assert.equal(failed.length, ITEMS.length - 4)
})
