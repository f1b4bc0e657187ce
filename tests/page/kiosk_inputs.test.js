import assert from 'node:assert/strict'
import { test } from 'node:test'

import { KioskInputs } from '../../barcodesvc/page/script/kiosk/inputs.js'

/** Return inputs, what they did, and a function that scans a code whose product is known after some milliseconds. */
function prepared() {
  const inputs = new KioskInputs()
  /** @type {string[]} */
  const did = []
  const scan = (/** @type {string} */ code, /** @type {number} */ time) =>
    inputs.scan(
      async () => {
        await pause(time)
        if (code === '?') throw new Error('unknown')
        return code
      },
      async (outcome, signal) => {
        const looked = await outcome
        if (!signal.aborted) did.push('found' in looked ? looked.found : 'unknown')
      },
    )
  return { inputs, did, scan }
}

/** @param {number} time */
function pause(time) {
  return new Promise((end) => setTimeout(end, time))
}

/** @param {KioskInputs} inputs */
async function over(inputs) {
  while (inputs.isBusy) await pause(1)
}

test('scans are looked up together, and count in their order with what is entered between them', async () => {
  const { inputs, did, scan } = prepared()
  const begun = performance.now()
  scan('pen', 40)
  inputs.take(() => did.push('enter'))
  scan('?', 40)
  scan('bolt', 0)
  inputs.take(() => did.push('enter'))
  assert.equal(inputs.isPending, true)
  await over(inputs)
  assert.deepEqual(did, ['pen', 'enter', 'unknown', 'bolt', 'enter'])
  assert.equal(inputs.isPending, false)
  assert.ok(performance.now() - begun < 80)
})

test('a scan is not pending while something is done about it', async () => {
  const inputs = new KioskInputs()
  /** @type {boolean[]} */
  const pending = []
  inputs.scan(
    () => Promise.resolve('pen'),
    async (outcome) => (await outcome, pending.push(inputs.isPending)),
  )
  await over(inputs)
  assert.deepEqual(pending, [false])
})

test('nothing comes of what is cancelled, and the next input has its effect', async () => {
  const { inputs, did, scan } = prepared()
  scan('pen', 20)
  scan('bolt', 0)
  inputs.take(() => did.push('enter'))
  await pause(5)
  inputs.cancel()
  assert.equal(inputs.isPending, false)
  scan('nut', 0)
  await over(inputs)
  assert.deepEqual(did, ['nut'])
})
