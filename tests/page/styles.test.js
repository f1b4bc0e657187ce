import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const STYLES = join(import.meta.dirname, '../../barcodesvc/page/style')
const COLOUR =
  /#[\da-f]{3,8}\b|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch|color)a?\(|\b(?:white|black|gr[ae]y|red|green|blue)\b/i
const LENGTH = /\d(?:px|r?em|pt|%)/
/** The page's size, of which all others are multiples. */
const PAGE_SIZE = 'clamp(16px, 0.9rem + 0.1vw, 20px)'

/**
 * Return the declarations of a style sheet: name and value.
 *
 * @param {string} file
 */
function declarations(file) {
  const style = readFileSync(join(STYLES, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
  return style.split(/[;{}]/).flatMap((part) => {
    const [, name = '', value = ''] = /^\s*([\w-]+)\s*:\s*([^:]*)$/.exec(part) ?? []
    return name ? [{ name, value }] : []
  })
}

test('colours are the custom properties of the first style sheet', () => {
  for (const file of readdirSync(STYLES)) {
    const literal = declarations(file).filter(({ value }) => COLOUR.test(value))
    const stray = literal.filter(({ name }) => file !== 'page.css' || !name.startsWith('--'))
    assert.deepEqual(stray, [], file)
  }
})

test('sizes of text and radii are steps of the design', () => {
  for (const file of readdirSync(STYLES)) {
    const sizes = declarations(file).filter(({ name }) => /^(?:font-size|border-(?:.*-)?radius)$/.test(name))
    const literal = sizes.filter(({ value }) => LENGTH.test(value) && value !== PAGE_SIZE)
    assert.deepEqual(literal, [], file)
  }
})

test('each custom property that is used is defined', () => {
  const all = readdirSync(STYLES).flatMap(declarations)
  const defined = new Set(all.map(({ name }) => name))
  const used = all.flatMap(({ value }) => [...value.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name))
  assert.deepEqual(
    [...new Set(used)].filter((name) => !defined.has(name ?? '')),
    [],
  )
})
