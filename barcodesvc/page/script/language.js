/**
 * The texts of the page in the language that the user has chosen, or else the browser's. A component that shows a text is
 * drawn again in another language.
 *
 * Rule: views contain no texts. Each file in `languages` is one language, and the service lists them in the page. What the
 * start view does not need is in `further-texts`, so that it does not wait for half of the texts. A text with a number has
 * one form for each plural category of its language, `key.one` and `key.other` (Unicode CLDR, plural rules); a category
 * without a form uses `key.other`.
 */

import { effect, signal } from '../library/preact.js'
import { settings } from './settings.js'

const root = globalThis.document?.documentElement

/** Languages that the page has, as the service lists them. */
export const LANGUAGES = (root?.dataset?.['languages'] ?? 'en').split(' ')

/** The language of the texts, once they are loaded. */
export const language = signal('')

let chosen = 'en'
/** The browser's tag if its language is the chosen one: it names the region, which dates and numbers depend on. */
let region = 'en'
/** @type {Record<string, string>} */
let texts = {}
/** Whether the texts of all views are needed. */
let isWhole = false

/** Load a language; an unknown one is English. @param {string} [wanted] as browsers name it: `de-AT` is `de` */
export async function speak(wanted = settings.language.value || globalThis.navigator?.language || 'en') {
  const base = wanted.split('-')[0] ?? ''
  chosen = LANGUAGES.includes(base) ? base : 'en'
  const tags = [wanted, globalThis.navigator?.language ?? '']
  region = tags.find((tag) => tag.split('-')[0] === chosen && isTag(tag)) ?? chosen
  await load()
}

/** Load the texts of all views but the start view too, in English where a language has none. */
export async function loadFurtherTexts() {
  isWhole = true
  await load()
}

async function load() {
  const its = chosen
  const further = (/** @type {string} */ name) => isWhole && import(`../further-texts/${name}.js`)
  const [first, all] = await Promise.all([
    import(`../languages/${its}.js`),
    Promise.resolve(further(its)).catch(() => further('en')),
  ])
  if (its !== chosen) return // another one was chosen meanwhile
  texts = { ...texts, ...first.default, ...all?.default }
  root.lang = its
  root.dir = texts['direction'] ?? ''
  language.value = its
}

/** Return the tag of the current language and the browser's region, for formats of numbers and times. */
export function locale() {
  return region
}

/**
 * Return a text with values in place of `{name}`.
 *
 * @param {string} key
 * @param {Record<string, string | number>} [values] `count` chooses the plural form
 * @param {string} [otherwise] returned if there is no such text
 */
export function text(key, values = {}, otherwise = key) {
  const count = values['count']
  const rules = count === undefined ? null : new Intl.PluralRules(language.value || 'en')
  const form = rules ? `${key}.${rules.select(Number(count))}` : key
  const found = texts[form] ?? texts[key] ?? texts[`${key}.other`] ?? otherwise
  return found.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name] ?? ''
    return typeof value === 'number' ? new Intl.NumberFormat(region).format(value) : value
  })
}

/** @param {string} tag */
function isTag(tag) {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

// the page requests its texts while its other scripts are still loading; a worker has none
if (root) effect(() => void speak())
