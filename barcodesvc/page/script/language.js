/**
 * The texts of the page in the language that the user has chosen, or else the browser's.
 *
 * Rule: views contain no texts. A text with a number has one form for each plural category of its language, `key.one` and
 * `key.other` (Unicode CLDR, plural rules). The texts of the first view are in one file, all others in a second one.
 */

export const LANGUAGES = ['en', 'de']

let chosen = 'en'
/** Suffixes of the required files. */
let files = ['']
/** @type {Record<string, string>} */
const texts = {}

/**
 * Load a language; an unknown one is English.
 *
 * @param {string} wanted as browsers name it: `de-AT` is `de`
 */
export async function speak(wanted) {
  const base = wanted.split('-')[0] ?? ''
  chosen = LANGUAGES.includes(base) ? base : 'en'
  await load()
  document.documentElement.lang = chosen
}

/**
 * Return a module that is loaded after the first view, once its texts are there too.
 *
 * @template Module
 * @param {Promise<Module>} module
 * @returns {Promise<Module>}
 */
export async function later(module) {
  files = ['', '_later']
  const [loaded] = await Promise.all([module, load()])
  return loaded
}

/** Load the files of the chosen language, unless another one is chosen before they have arrived. */
async function load() {
  const wanted = chosen
  const modules = await Promise.all(files.map((end) => import(`../languages/${wanted}${end}.js`)))
  if (wanted === chosen) Object.assign(texts, ...modules.map((module) => module.default))
}

/** Return the current language, for formats of numbers and times. */
export function language() {
  return chosen
}

/**
 * Return a text with values in place of `{name}`.
 *
 * @param {string} key
 * @param {Record<string, string | number>} [values] `count` chooses the plural form
 * @param {string} [otherwise] returned if the text is not loaded
 */
export function text(key, values = {}, otherwise = key) {
  const count = values['count']
  const form = count === undefined ? key : `${key}.${new Intl.PluralRules(chosen).select(Number(count))}`
  const found = texts[form] ?? texts[key] ?? otherwise
  return found.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name] ?? ''
    return typeof value === 'number' ? new Intl.NumberFormat(chosen).format(value) : value
  })
}
