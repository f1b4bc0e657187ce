/**
 * The texts of the page in the language that its reader has chosen, or else the browser's.
 *
 * Rule: no text stands in a view. A text with a number has one form for each plural category of its language,
 * `key.one` and `key.other` (Unicode CLDR, plural rules).
 */

/** @typedef {keyof typeof import('../languages/en.js').default} Key */

export const LANGUAGES = ['en', 'de']

let chosen = 'en'
/** @type {Record<string, string>} */
let texts = {}

/**
 * Load a language; an unknown one is English.
 *
 * @param {string} wanted as browsers name it: `de-AT` is `de`
 */
export async function speak(wanted) {
  const base = wanted.split('-')[0] ?? ''
  chosen = LANGUAGES.includes(base) ? base : 'en'
  texts = (await import(`../languages/${chosen}.js`)).default
  document.documentElement.lang = chosen
}

/** Return the language that is spoken, for formats of numbers and times. */
export function language() {
  return chosen
}

/**
 * Return a text with its values in place of `{name}`.
 *
 * @param {string} key
 * @param {Record<string, string | number>} [values] `count` chooses the plural form
 */
export function text(key, values = {}) {
  const count = values['count']
  const form = count === undefined ? key : `${key}.${new Intl.PluralRules(chosen).select(Number(count))}`
  const found = texts[form] ?? texts[key] ?? key
  return found.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name] ?? ''
    return typeof value === 'number' ? new Intl.NumberFormat(chosen).format(value) : value
  })
}
