import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const PAGE = new URL('../../barcodesvc/page/', import.meta.url)
const SCRIPTS = new URL('script/', PAGE)
const FILES = readdirSync(new URL('languages/', PAGE))
/** The texts of each language, with those that the start view does not need. @type {Record<string, Record<string, string>>} */
const LANGUAGES = Object.fromEntries(
  await Promise.all(FILES.map(async (file) => [file.slice(0, -3), await textsOf(file)])),
)
const en = LANGUAGES['en'] ?? {}

/** @param {string} file */
async function textsOf(file) {
  const [first, further] = await Promise.all(
    ['languages', 'further-texts'].map((folder) => import(`${PAGE}${folder}/${file}`)),
  )
  assert.deepEqual(
    Object.keys(further.default).filter((key) => key in first.default),
    [],
  )
  return { ...first.default, ...further.default }
}

/** The end of a plural form's key. */
const FORM = /\.(zero|one|two|few|many|other)$/

/** The texts that scripts name by a whole key, and not by one that is put together. */
const NAMED = /\btext\(\s*'([^']+)'/g

const sources = readdirSync(SCRIPTS, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.js'))
  .map((name) => readFileSync(new URL(name, SCRIPTS), 'utf8'))

test('every language has the same texts, in its own plural forms', () => {
  // a form that is the same as the other one is left out
  const all = Object.values(LANGUAGES).flatMap((texts) => Object.keys(texts))
  const plurals = new Set(all.filter((key) => key.endsWith('.one')).map((key) => key.replace(FORM, '')))
  const base = (/** @type {string} */ key) => (plurals.has(key.replace(FORM, '')) ? key.replace(FORM, '') : key)
  const expected = [...new Set(Object.keys(en).map(base))].sort()
  for (const [language, texts] of Object.entries(LANGUAGES)) {
    assert.deepEqual([...new Set(Object.keys(texts).map(base))].sort(), expected, language)
    const lacking = [...plurals].filter((key) => !(`${key}.other` in texts))
    assert.deepEqual(lacking, [], language)
    for (const key of plurals) assert.notEqual(texts[`${key}.one`], texts[`${key}.other`], `${language}: ${key}`)
  }
})

test('every language has the demo products, which differ in their names alone', () => {
  const demoOf = (/** @type {string} */ language) => {
    const rows = readFileSync(new URL(`demo/${language}.csv`, PAGE), 'utf8')
      .trimEnd()
      .split('\n')
    return rows.map((row) => row.split(',')).map(([code, , , ...levels]) => [code, ...levels])
  }
  for (const language of Object.keys(LANGUAGES)) assert.deepEqual(demoOf(language), demoOf('en'))
})

test('every language puts the same values into a text', () => {
  const values = (/** @type {string} */ words) => [...new Set(words.match(/\{\w+\}/g) ?? [])].sort()
  for (const [language, texts] of Object.entries(LANGUAGES)) {
    for (const [key, words] of Object.entries(texts)) {
      const english = /** @type {Record<string, string>} */ (en)[key]
      if (english) assert.deepEqual(values(words), values(english), `${language}: ${key}`)
    }
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
  const keys = new Set([...Object.keys(en), ...Object.keys(en).map((key) => key.replace(FORM, ''))])
  const named = sources.flatMap((source) => [...source.matchAll(NAMED)].map(([, key]) => key))
  assert.ok(named.length > 50)
  assert.deepEqual([...new Set(named.filter((key) => key !== undefined && !keys.has(key)))], [])
})

test('no line breaks before the high punctuation of French', () => {
  const breaking = Object.entries(LANGUAGES['fr'] ?? {}).filter(([, words]) => / [:;?!»]|« /.test(words))
  assert.deepEqual(breaking, [])
})
