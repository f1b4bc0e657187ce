import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

const SCRIPTS = join(import.meta.dirname, '../../barcodesvc/page/script')
const IMPORTED = /(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g
const COMMENTS = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm

/**
 * The modules that each module imports, at once or later; not those whose names it computes, as the router does.
 *
 * @type {Map<string, string[]>}
 */
const imports = new Map()
for (const name of readdirSync(SCRIPTS, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.js')) continue
  const code = readFileSync(join(SCRIPTS, name), 'utf8').replace(COMMENTS, '')
  const imported = [...code.matchAll(IMPORTED)].map(([, path]) => join(dirname(name), path ?? ''))
  imports.set(name, imported)
}

/**
 * Return the first cycle that goes on from a way through the modules, or null.
 *
 * @param {string[]} way
 * @param {Set<string>} free modules that are known to lead to no cycle
 * @returns {string[] | null}
 */
function cycleFrom(way, free) {
  const module = way.at(-1) ?? ''
  for (const next of imports.get(module) ?? []) {
    if (way.includes(next)) return [...way.slice(way.indexOf(next)), next]
    const cycle = free.has(next) ? null : cycleFrom([...way, next], free)
    if (cycle) return cycle
  }
  free.add(module)
  return null
}

/** @param {string} path */
function isOfLibrary(path) {
  return path.startsWith('../library/')
}

test('each import is a module', () => {
  const missing = [...imports].flatMap(([module, paths]) =>
    paths.filter((path) => !imports.has(path) && !isOfLibrary(path)).map((path) => `${module}: ${path}`),
  )
  assert.deepEqual(missing, [])
})

test('only the components know the library', () => {
  const knowing = [...imports].filter(([, paths]) => paths.some(isOfLibrary)).map(([module]) => module)
  assert.deepEqual(
    knowing.filter((module) => module !== 'ui.js'),
    [],
  )
})

test('no modules import one another in a circle', () => {
  /** @type {Set<string>} */
  const free = new Set()
  for (const module of imports.keys()) assert.equal(cycleFrom([module], free)?.join(' → '), undefined)
})
