/**
 * The texts of the page in the language that the user has chosen, or else the browser's.
 *
 * Rule: views contain no texts. Each file in `languages` is one language, and the service lists them in the page. What the
 * start view does not need is in `label-texts`, so that it does not wait for half of the texts. A text with a number has
 * one form for each plural category of its language, `key.one` and `key.other` (Unicode CLDR, plural rules); a category
 * without a form uses `key.other`.
 */

/** Languages that the page has, as the service lists them. */
export const LANGUAGES = (globalThis.document?.documentElement.dataset?.['languages'] ?? 'en').split(' ')

let chosen = 'en'
/** The browser's tag if its language is the chosen one: it names the region, which dates and numbers depend on. */
let region = 'en'
/** The texts, and the language that they are in. @type {Record<string, string>} */
let texts = {}
let spoken = ''

/**
 * Load a language; an unknown one is English. One that is loaded keeps its further texts: `early_language.js` may run last.
 *
 * @param {string} wanted as browsers name it: `de-AT` is `de`
 */
export async function speak(wanted) {
  const base = wanted.split('-')[0] ?? ''
  const language = LANGUAGES.includes(base) ? base : 'en'
  chosen = language
  region =
    [wanted, globalThis.navigator?.language ?? ''].find((tag) => tag.split('-')[0] === language && isTag(tag)) ??
    language
  const { default: loaded } = await import(`../languages/${language}.js`)
  // another one was chosen meanwhile, or this one is loaded
  if (language !== chosen || language === spoken) return
  spoken = language
  texts = loaded
  document.documentElement.lang = chosen
  document.documentElement.dir = text('direction')
}

/** Load the texts of all other views, in English where a language has none. */
export async function loadFurtherTexts() {
  const language = chosen
  const load = (/** @type {string} */ name) => import(`../label-texts/${name}.js`)
  const { default: loaded } = await load(language).catch(() => load('en'))
  if (language === chosen) texts = { ...texts, ...loaded }
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
  const form = count === undefined ? key : `${key}.${pluralRules().select(Number(count))}`
  const found = texts[form] ?? texts[key] ?? texts[`${key}.other`] ?? otherwise
  return found.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name] ?? ''
    return typeof value === 'number' ? new Intl.NumberFormat(region).format(value) : value
  })
}

/** @type {Intl.PluralRules | null} */
let rules = null

/** Return the plural rules of the chosen language. */
function pluralRules() {
  if (rules?.resolvedOptions().locale.split('-')[0] !== chosen) rules = new Intl.PluralRules(chosen)
  return rules
}

/** @param {string} tag */
function isTag(tag) {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}
