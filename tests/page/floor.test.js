import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const STYLES = new URL('../../barcodesvc/page/style/', import.meta.url)

/** Features of style sheets that Chrome 109, Safari 16 or Firefox 115 lack. */
const NEWER =
  /:has\(|color-mix\(|light-dark\(|@starting-style|@scope|@position-try|text-wrap|field-sizing|^\s*&|content: '[^']*' \//m

const SCRIPTS = new URL('../../barcodesvc/page/script/', import.meta.url)

test('regular expressions do not look behind, which Safari cannot before 16.4', () => {
  const names = readdirSync(SCRIPTS, { recursive: true }).map(String)
  const scripts = names.filter((name) => name.endsWith('.js'))
  assert.deepEqual(
    scripts.filter((name) => /\(\?<[=!]/.test(readFileSync(new URL(name, SCRIPTS), 'utf8'))),
    [],
  )
})

test('style sheets use only what the oldest supported browsers have', () => {
  const found = readdirSync(STYLES).filter((name) => NEWER.test(readFileSync(new URL(name, STYLES), 'utf8')))
  assert.deepEqual(found, [])
})
