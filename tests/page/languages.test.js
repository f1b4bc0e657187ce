import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

import firstDe from '../../barcodesvc/page/languages/de.js'
import laterDe from '../../barcodesvc/page/languages/de_later.js'
import first from '../../barcodesvc/page/languages/en.js'
import later from '../../barcodesvc/page/languages/en_later.js'

const en = { ...first, ...later }
/** @type {Record<string, Record<string, string>>} */
const LANGUAGES = { de: { ...firstDe, ...laterDe }, en }
const PAGE = new URL('../../barcodesvc/page/', import.meta.url)
const SCRIPTS = new URL('script/', PAGE)

/** The texts that scripts name by a whole key, and not by one that is put together. */
const NAMED = /\btext\(\s*'([^']+)'/g

const sources = readdirSync(SCRIPTS, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.js'))
  .map((name) => readFileSync(new URL(name, SCRIPTS), 'utf8'))

test('every language has the same texts', () => {
  for (const texts of Object.values(LANGUAGES)) assert.deepEqual(Object.keys(texts).sort(), Object.keys(en).sort())
})

test('the files of a language share no text, and are divided like those of the other languages', () => {
  assert.equal(Object.keys(en).length, Object.keys(first).length + Object.keys(later).length)
  assert.deepEqual(Object.keys(firstDe).sort(), Object.keys(first).sort())
})

test('the texts that the modules of the first view name are in the file that is loaded with them', () => {
  const shell = readFileSync(new URL('index.html', PAGE), 'utf8')
  const modules = [...shell.matchAll(/\{assets\}\/(script\/[^"]+)/g)].map(([, path]) => String(path))
  assert.ok(modules.length > 20)
  const named = modules.flatMap((path) => [...readFileSync(new URL(path, PAGE), 'utf8').matchAll(NAMED)])
  const keys = Object.keys(first).map((key) => key.replace(/\.(one|other)$/, ''))
  assert.deepEqual(
    named.map(([, key]) => String(key)).filter((key) => !(key in first) && !keys.includes(key)),
    [],
  )
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

test('every text that a script names exists', () => {
  const keys = new Set([...Object.keys(en), ...Object.keys(en).map((key) => key.replace(/\.(one|other)$/, ''))])
  const named = sources.flatMap((source) => [...source.matchAll(NAMED)].map(([, key]) => key))
  assert.ok(named.length > 50)
  assert.deepEqual([...new Set(named.filter((key) => key !== undefined && !keys.has(key)))], [])
})
