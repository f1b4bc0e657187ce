import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

import de from '../../barcodesvc/page/languages/de.js'
import en from '../../barcodesvc/page/languages/en.js'

/** @type {Record<string, Record<string, string>>} */
const LANGUAGES = { de, en }
const SCRIPTS = new URL('../../barcodesvc/page/script/', import.meta.url)

/** The texts that scripts name by a whole key, and not by one that is put together. */
const NAMED = /\btext\(\s*'([^']+)'/g

const sources = readdirSync(SCRIPTS, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.js'))
  .map((name) => readFileSync(new URL(name, SCRIPTS), 'utf8'))

test('every language has the same texts', () => {
  for (const texts of Object.values(LANGUAGES)) assert.deepEqual(Object.keys(texts).sort(), Object.keys(en).sort())
})

test('every language puts the same values into a text', () => {
  for (const [key, english] of Object.entries(en)) {
    const values = (/** @type {string} */ words) => [...new Set(words.match(/\{\w+\}/g) ?? [])].sort()
    for (const texts of Object.values(LANGUAGES)) assert.deepEqual(values(texts[key] ?? ''), values(english), key)
  }
})

test('no text is empty', () => {
  for (const texts of Object.values(LANGUAGES))
    assert.deepEqual(
      Object.entries(texts).filter(([, words]) => !words.trim()),
      [],
    )
})

test('every text that a script names is there', () => {
  const keys = new Set([...Object.keys(en), ...Object.keys(en).map((key) => key.replace(/\.(one|other)$/, ''))])
  const named = sources.flatMap((source) => [...source.matchAll(NAMED)].map(([, key]) => key))
  assert.ok(named.length > 50)
  assert.deepEqual([...new Set(named.filter((key) => key !== undefined && !keys.has(key)))], [])
})
