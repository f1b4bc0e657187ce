import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

const window = new EventTarget()
Object.assign(globalThis, { window })
const { keys } = await import('../../barcodesvc/page/script/scanner/listener.js')
const { watchInput } = await import('../../barcodesvc/page/script/page_care.js')

/** Milliseconds without input that count as quiet here. */
const PAUSE = 200

for (const [name, target, type] of /** @type {const} */ ([
  ['a key of a scanner', keys, 'key'],
  ['a key of a person', window, 'keydown'],
  ['a touch', window, 'pointerdown'],
])) {
  test(`the page is quiet only a while after ${name}`, async () => {
    const untilQuiet = watchInput()
    let last = 0
    const input = setInterval(() => target.dispatchEvent(new Event(type)), 10)
    setTimeout(() => {
      clearInterval(input)
      last = performance.now()
    }, 1.5 * PAUSE)
    await untilQuiet(PAUSE)
    assert.ok(last && performance.now() - last > PAUSE / 2)
  })
}

test('a page that is never quiet is not waited for longer than the limit', async () => {
  const untilQuiet = watchInput()
  const input = setInterval(() => keys.dispatchEvent(new Event('key')), 10)
  await untilQuiet(PAUSE, 1)
  clearInterval(input)
})
