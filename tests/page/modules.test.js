import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

const PAGE = join(import.meta.dirname, '../../barcodesvc/page')
const SCRIPTS = join(PAGE, 'script')
const IMPORTED = /(?:\bfrom|\bimport)\s*(\(?)\s*'(\.[^']+)'/g
const COMMENTS = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm

/**
 * What each module imports: as it starts, and later; not what it imports by a computed name, as the router does.
 *
 * @type {Map<string, {atStart: string[], later: string[]}>}
 */
const imports = new Map()
for (const name of readdirSync(SCRIPTS, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.js')) continue
  const code = readFileSync(join(SCRIPTS, name), 'utf8').replace(COMMENTS, '')
  const found = [...code.matchAll(IMPORTED)].map(([, call, path]) => ({ call, path: join(dirname(name), path ?? '') }))
  const paths = (/** @type {boolean} */ isLater) =>
    found.filter(({ call }) => Boolean(call) === isLater).map(({ path }) => path)
  imports.set(name, { atStart: paths(false), later: paths(true) })
}

/** @param {string} name */
function all(name) {
  const { atStart = [], later = [] } = imports.get(name) ?? {}
  return [...atStart, ...later]
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
  for (const next of all(module)) {
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
  const missing = [...imports.keys()].flatMap((module) =>
    all(module)
      .filter((path) => !imports.has(path) && !isOfLibrary(path))
      .map((path) => `${module}: ${path}`),
  )
  assert.deepEqual(missing, [])
})

test('only the components, the settings and the texts know the library', () => {
  const knowing = [...imports.keys()].filter((module) => all(module).some(isOfLibrary))
  assert.deepEqual(
    knowing.filter((module) => !['language.js', 'settings.js', 'ui.js'].includes(module)),
    [],
  )
})

test('no modules import one another in a circle', () => {
  /** @type {Set<string>} */
  const free = new Set()
  for (const module of imports.keys()) assert.equal(cycleFrom([module], free)?.join(' → '), undefined)
})

/** Return a module with all that it imports as it starts, and those with all that they import. @param {string[]} names */
function neededBy(names, found = new Set(names)) {
  for (const name of found) for (const next of imports.get(name)?.atStart ?? []) found.add(next)
  return found
}

test('the page names all modules of the start view in advance, and no other', () => {
  const shell = readFileSync(join(PAGE, 'index.html'), 'utf8')
  const named = [...shell.matchAll(/(?:modulepreload" href|script type="module".* src)="\{assets\}\/script\/([^"]+)"/g)]
  const ours = neededBy(['main.js', 'scan/view.js'])
  const wanted = [...ours].filter((name) => !isOfLibrary(name))
  assert.deepEqual(named.map(([, name]) => name).sort(), [...wanted].sort())
})

test('an open page loads all modules ahead that a view may load later', () => {
  const views = [...imports.keys()].filter((name) => /^\w+\/view\.js$/.test(name))
  const ahead = neededBy(['main.js', 'bookings/queue.js', ...views, ...(imports.get('page_care.js')?.later ?? [])])
  const ofStart = ['page_care.js', 'status_line.js']
  const later = [...imports.values()].flatMap((each) => each.later).filter((name) => !ofStart.includes(name))
  assert.deepEqual([...new Set(later.filter((name) => !ahead.has(name)))], [])
})
