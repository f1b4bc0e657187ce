import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

const window = new EventTarget()
Object.assign(globalThis, { window })
const { keys } = await import('../../barcodesvc/page/script/scanner/listener.js')
const { isQuiet, untilQuiet } = await import('../../barcodesvc/page/script/quiet.js')

/** Milliseconds without input that count as quiet here. */
const PAUSE = 50

for (const [name, target, type] of /** @type {const} */ ([
  ['a key of a scanner', keys, 'key'],
  ['a key of a person', window, 'keydown'],
  ['a touch', window, 'pointerdown'],
])) {
  test(`the page is quiet only a while after ${name}`, async () => {
    let isOver = false
    const input = setInterval(() => target.dispatchEvent(new Event(type)), 10)
    setTimeout(() => {
      clearInterval(input)
      isOver = true
    }, 200)
    await untilQuiet(PAUSE, 10_000)
    assert.ok(isOver && isQuiet(PAUSE))
  })
}

test('a page that is never quiet is not waited for longer than the limit', async () => {
  const input = setInterval(() => keys.dispatchEvent(new Event('key')), 10)
  await untilQuiet(PAUSE, 100)
  clearInterval(input)
  assert.ok(!isQuiet(PAUSE))
})
