import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import { BOUNDS, DEFAULTS, within } from '../../barcodesvc/page/script/settings.js'

const MODULE = '../../barcodesvc/page/script/settings.js'

/**
 * Return the module as it is loaded by a browser that has kept this text.
 *
 * @param {string | null} kept
 * @param {boolean} [full] whether the browser keeps nothing more
 * @returns {Promise<{module: typeof import('../../barcodesvc/page/script/settings.js'), stored: Map<string, string>, hear: (key: string | null) => boolean}>}
 */
async function loaded(kept, full = false) {
  const stored = new Map(kept === null ? [] : [['barcodesvc.settings', kept]])
  const localStorage = {
    getItem: (/** @type {string} */ name) => stored.get(name) ?? null,
    setItem: (/** @type {string} */ name, /** @type {string} */ value) => {
      if (full) throw new Error('full')
      stored.set(name, value)
    },
  }
  Object.defineProperty(globalThis, 'localStorage', { value: localStorage, configurable: true })
  const storage = new EventTarget()
  Object.assign(globalThis, { addEventListener: storage.addEventListener.bind(storage) })
  const module = await import(`${MODULE}?${Math.random()}`)
  const hear = (/** @type {string | null} */ key) => storage.dispatchEvent(Object.assign(new Event('storage'), { key }))
  return { module, stored, hear }
}

/** Return all values. @param {typeof import('../../barcodesvc/page/script/settings.js')} module */
function valuesOf({ settings }) {
  return Object.fromEntries(Object.entries(settings).map(([name, { value }]) => [name, value]))
}

test('a changed value is there the next time', async () => {
  const { module, stored } = await loaded(null)
  module.settings.author.value = 'Mia'
  module.settings.offsetX.value = -1.5
  const again = await loaded(/** @type {string} */ (stored.get('barcodesvc.settings')))
  assert.deepEqual(valuesOf(again.module), { ...DEFAULTS, author: 'Mia', offsetX: -1.5 })
})

test('a value that is damaged, of another type or out of bounds is its default', async () => {
  for (const kept of [
    '',
    '{',
    'null',
    '[]',
    '{"sounds":"no","scale":200,"offsetX":null,"offsetY":-20.5,"further":1}',
  ]) {
    assert.deepEqual(valuesOf((await loaded(kept)).module), DEFAULTS)
  }
})

test('a browser that stores nothing has the settings until the page is closed', async () => {
  const { module } = await loaded(null, true)
  module.settings.sounds.value = false
  assert.equal(module.settings.sounds.value, false)
})

test('a change keeps what another tab has stored since', async () => {
  const { module, stored } = await loaded(null)
  stored.set('barcodesvc.settings', JSON.stringify({ ...DEFAULTS, author: 'Ann' }))
  module.settings.sounds.value = false
  const again = await loaded(/** @type {string} */ (stored.get('barcodesvc.settings')))
  assert.deepEqual(valuesOf(again.module), { ...DEFAULTS, author: 'Ann', sounds: false })
})

test('a tab takes over what another tab stores, but nothing else', async () => {
  const { module, stored, hear } = await loaded(null)
  const { author } = module.settings
  stored.set('barcodesvc.settings', JSON.stringify({ ...DEFAULTS, author: 'Ann' }))
  hear('something else')
  assert.equal(author.value, '')
  hear('barcodesvc.settings')
  assert.equal(author.value, 'Ann')
  stored.clear()
  hear(null)
  assert.equal(author.value, '')
})

test('numbers have the bounds of the service', () => {
  assert.deepEqual(BOUNDS, { offsetX: [-20, 20], offsetY: [-20, 20], scale: [90, 110] })
  assert.ok(within('scale', 90) && within('scale', 110) && within('author', 'Mia'))
  assert.ok(!within('scale', 89.9) && !within('offsetX', 20.1) && !within('offsetY', NaN))
})
